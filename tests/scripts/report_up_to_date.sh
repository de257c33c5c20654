# report_up_to_date.sh PREDICTIONS: the committed report is the one that the program writes. Making
# all of it takes minutes, so where nothing that it is made of has changed since that was last seen
# to be so (reports/h200.stamp), a hundredth of its predictions, others every day, is made again;
# else all of it, and the stamp is written anew (it is committed with the report).
# TILECAST is the program; PREDICTIONS a file in which it keeps predictions, beside which
# PREDICTIONS.unchanged says that nothing has changed.
set -u
manifest=reports/h200.yaml report=reports/h200 stamp=reports/h200.stamp
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

sums() {
  find CMakeLists.txt cmake cli configs kernels/gemm/ladder.yaml model reports validate -type f \
    ! -name '*_test.cpp' ! -name '*.md' ! -name '*.py' ! -name "${stamp##*/}" \
    ! -name predictions.cache.csv -print0
  printf '%s\0' validate/DEVIATIONS.md validate/EXCLUDED.md docs/results.md $report/report.md
}
hash=$({
  sums | LC_ALL=C sort -z | xargs -0 sha256sum
  sed -n '/<!-- results:begin/,/<!-- results:end/p' README.md
} | sha256sum | cut -d' ' -f1)

rm -f "$1.unchanged"
if [ "$hash" != "$(cat $stamp 2>/dev/null)" ]; then
  "$TILECAST" report --manifest $manifest --out $report --check --predictions "$1" || exit 1
  [ -n "${CI:-}" ] || echo "$hash" >$stamp
  exit 0
fi

# Their sample, as a report of its own; points.csv up to the predicted clock has no quotes.
today=$(($(date +%s) / 86400))
for file in $(sed -n '/^data:/,/^fixed:/s/^  - //p' $manifest); do
  zcat "$file" | awk -v day=$today 'NR == 1 || (NR + day) % 100 == 0' \
    >"$folder/$(basename "$file" .gz)"
done
"$TILECAST" report --data "$folder"/*.csv --out "$folder/report" --no-figures >/dev/null || exit 1
predicted() { zcat -f "$1"/data/points.csv* | cut -d, -f1,4,5,6,10,14,16 | LC_ALL=C sort -u; }
predicted "$folder/report" >"$folder/sample"
predicted $report >"$folder/all"
[ "$(wc -l <"$folder/sample")" -gt 50 ] || { echo "a sample of few points" && exit 1; }
if [ -n "$(LC_ALL=C comm -23 "$folder/sample" "$folder/all")" ]; then
  echo "predicted otherwise than in $report:"
  LC_ALL=C comm -23 "$folder/sample" "$folder/all"
  exit 1
fi
touch "$1.unchanged"
