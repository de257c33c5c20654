# Reports of few rows: each is written, and its page passes in a browser, if one is installed.
# TILECAST is the program.
set -u
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
failures=0
problem() {
  printf 'FAILED: %s\n' "$*"
  failures=$((failures + 1))
}

data=validate/data/h200_sxm
zcat $data/laboratory/sustained.csv.gz >"$folder/sustained.csv"
head -2 "$folder/sustained.csv" >"$folder/single_row.csv"
zcat $data/dataset/squares.csv.gz | awk 'NR == 1 || /cublaslt/ || /^h200[^"]*,4096,4096,4096,/' | head -60 >"$folder/one_shape.csv"
zcat $data/stream/memcpy.csv.gz | head -12 >"$folder/copies.csv"
{ echo 'gpu: h200_sxm' && echo "data: [$folder/one_shape.csv]" && sed -n '/^waves:/,$p' reports/h200.yaml | head -11; } \
  >"$folder/manifest.yaml"  # wave quantization, decoder layers and two timelines

for rows in single_row sustained one_shape copies manifest; do
  from="--data $folder/$rows.csv"
  [ $rows = manifest ] && from="--manifest $folder/manifest.yaml"
  "$TILECAST" report $from --out "$folder/$rows" >"$folder/out" 2>"$folder/err" ||
    { problem "$rows: $(cat "$folder/err")"; continue; }
  sed '/<script/,$d' "$folder/$rows/index.html" | grep -Eiq '\b(nan|inf)\b' && problem "$rows: a number is none"
  "$TILECAST_PYTHON" reports/browser/page_test.py "$folder/$rows" >"$folder/out" 2>&1
  code=$?
  [ $code = 0 ] || [ $code = 77 ] || problem "$rows: $(grep FAILED "$folder/out" || tail -3 "$folder/out")"
done
exit $((failures > 0))
