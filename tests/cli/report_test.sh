# tilecast report: a folder from rows, written again to the same bytes, its fallbacks and refusals.
. tests/cli/expect.sh

rows=validate/data/h200_sxm/laboratory/sustained.csv.gz
out=$folder/report
report() { "$TILECAST" report --data $rows --out "$out" "$@"; }

# Without the chart library: tables and no charts, and both the page and standard error say so.
mkdir "$folder/empty" "$folder/reports" && cp -r reports/page "$folder/reports"
TILECAST_REPORT_VEGA=$folder/empty TILECAST_REPORT_DIR=$folder/reports report \
  >"$folder/out" 2>"$folder/err" || problem "report: $(cat "$folder/err")"
grep -q 'chart library was not found' "$folder/err" || problem 'no word about the chart library'
grep -q 'without the chart library' "$out/index.html" || problem 'the page hides its lack of charts'
grep -q '<figure' "$out/index.html" && problem 'charts without a library'
grep -q 'Kendall' "$out/index.html" || problem 'the page has no tables'
grep -q '^| 128x' "$out/report.md" || grep -q '| shape |' "$out/report.md" || problem 'no Markdown'
head -1 "$out/data/points.csv" | grep -q '^shape,class,schedule' || problem 'no data'
[ -s "$out/predictions.cache.csv" ] || problem 'predictions were not kept'

# With it.
TILECAST_REPORT_VEGA=$folder/empty report >"$folder/out" 2>"$folder/err" ||
  problem "report: $(cat "$folder/err")"
grep -q '<figure' "$out/index.html" || problem 'no charts with the library'
grep -q $'\033' "$folder/out" && problem 'control characters where no terminal is'
COLUMNS=80 report 2>/dev/null | awk 'length > 80 {exit 1}' || problem 'wider than 80 columns'

# The same rows give the same bytes.
cp -r "$out" "$folder/first"
report --no-figures >/dev/null 2>&1
diff -r "$out" "$folder/first" >"$folder/diff" || problem "not the same again: $(head -3 "$folder/diff")"

# Beside another report.
report --no-figures --against "$folder/first" >"$folder/out" 2>/dev/null || problem '--against'
grep -q 'only in the other one' "$folder/out" || problem 'no changes in the summary'

expect_error 2 'report needs measurements' "$TILECAST" report --out "$folder/x"
expect_error 2 'out' "$TILECAST" report --data $rows
expect_error 6 'no.csv' "$TILECAST" report --data no.csv --out "$folder/x"
expect_error 6 'is not a report' report --no-figures --against "$folder/empty"
expect_error 2 'h100_sxm|H100' "$TILECAST" report --gpu h100_sxm --data $rows --out "$folder/x"
expect_error 2 'schedules run' "$TILECAST" report --gpu a100_sxm80 --data $rows --out "$folder/x"
printf 'gpu: h200_sxm\ndata: [%s]\nmoer: []\n' "$rows" >"$folder/m.yaml"
expect_error 2 'm.yaml:3: moer' "$TILECAST" report --manifest "$folder/m.yaml" --out "$folder/x"
echo broken >"$folder/cache.csv"
expect_error 2 'cache.csv:1: ' report --predictions "$folder/cache.csv"
[ -e "$folder/x" ] && problem 'a refused report left a folder'
finish
