# Reports of little: a correct, smaller report each, and where there is a browser a page without a
# fault. TILECAST is the program.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failures=0
problem() {
  printf 'FAILED: %s\n' "$*"
  failures=$((failures + 1))
}

lab=validate/data/h200_sxm/laboratory/sustained.csv.gz
squares=validate/data/h200_sxm/dataset/squares.csv.gz
zcat $lab | head -2 >"$folder/single_row.csv"
zcat $lab | awk 'NR == 1 || /pipelined:/' >"$folder/one_schedule.csv"
zcat $lab >"$folder/no_library.csv"
zcat $lab | awk -F, 'NR > 8 {sub(/GPU-[^,]*/, "GPU-another")} {print}' >"$folder/two_cards.csv"
zcat $squares | awk 'NR == 1 || /cublaslt/ || /^h200[^"]*,512,512,512,/' | head -60 >"$folder/one_shape.csv"
zcat validate/data/h200_sxm/laboratory/core.csv.gz | head -9 >"$folder/counters.csv"
zcat validate/data/h200_sxm/stream/memcpy.csv.gz | head -12 >"$folder/copies.csv"

for rows in "$folder"/*.csv; do
  name=$(basename "$rows" .csv)
  "$TILECAST" report --data "$rows" --out "$folder/$name" --no-figures >"$folder/out" 2>"$folder/err" ||
    { problem "$name: $(cat "$folder/err")"; continue; }
  grep -Eiq '\bnan\b|\binf\b' "$folder/$name/report.md" && problem "$name: a number is none"
  sections=$(grep -c '^## ' "$folder/$name/report.md")
  [ "$sections" -ge 5 ] || problem "$name: only $sections sections"
  if [ -n "${TILECAST_PYTHON:-}" ]; then
    "$TILECAST_PYTHON" reports/browser/page_test.py "$folder/$name" >"$folder/out" 2>&1
    code=$?
    [ $code = 0 ] || [ $code = 77 ] || problem "$name: $(grep FAILED "$folder/out" || tail -3 "$folder/out")"
    echo "$name: $sections sections, $(grep charts "$folder/out" | head -1)"
  fi
done
[ "$(wc -l <"$folder/two_cards/data/cards.csv")" -ge 3 ] || problem 'two cards are not told apart'
grep -q '^## Beside cuBLASLt' "$folder/no_library/report.md" && problem 'a library without rows of it'
grep -q '^## L2 and DRAM bytes' "$folder/no_library/report.md" && problem 'bytes without counters'
grep -q '^## L2 and DRAM bytes' "$folder/counters/report.md" || problem 'no bytes with counters'
exit $((failures > 0))
