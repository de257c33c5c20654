# Tests how commands treat files: they never overwrite a user's file, report errors before the work,
# and accept text as editors save it.
. tests/cli/expect.sh

data=validate/data/h200_sxm
rows=$data/laboratory/sustained.csv.gz
config=pipelined:tile=128x128x64,stages=3,warpgroups=1x1,ctas=2,inflight=1,c_slots=0,raster=grouped_m,group=8
now() { date +%s; }

# A report is never written into a folder that holds its input, under any path.
mkdir -p "$folder/w/data" && zcat $rows | head -3 >"$folder/w/data/rows.csv"
program=$(realpath "$TILECAST")
cp "$folder/w/data/rows.csv" "$folder/rows.csv"
for out in . ./ ../w "$folder/w" "$folder/w/data"; do
  (cd "$folder/w" && "$program" report --data data/rows.csv --out "$out") \
    >"$folder/out" 2>"$folder/err"
  [ $? = 2 ] || problem "report --out $out: exit code $?"
  one_error_line 'contains .*rows.csv, which --data reads' "report --out $out"
  cmp -s "$folder/rows.csv" "$folder/w/data/rows.csv" || problem "report --out $out touched its input"
done
(cd "$folder/w" && "$program" report --data ../rows.csv --out '') >"$folder/out" 2>"$folder/err"
[ $? = 2 ] || problem "report --out '': exit code $?"
one_error_line '--out: .*empty' "report --out ''"
[ "$(find "$folder/w" -type f | wc -l)" = 1 ] || problem "a refused report wrote $(find "$folder/w" -type f)"

# It replaces only pages written by a report.
report() { "$TILECAST" report --data "$folder/rows.csv" --out "$folder/w"; }
echo 'a page' >"$folder/w/index.html"
expect_error 2 'w/index.html: not written by `tilecast report`' report
rm "$folder/w/index.html"
report >/dev/null 2>"$folder/err" || problem "report: $(cat "$folder/err")"
report >/dev/null 2>"$folder/err" || problem "report over a report: $(cat "$folder/err")"
cmp -s "$folder/rows.csv" "$folder/w/data/rows.csv" || problem 'a report replaced a foreign file'

# A report killed while it predicts leaves the earlier one intact.
zcat $data/dataset/squares.csv.gz >"$folder/many.csv"
many=(report --data "$folder/many.csv" --out "$folder/kept")
"$TILECAST" report --data "$folder/rows.csv" --out "$folder/kept" >/dev/null 2>&1
cp -r "$folder/kept" "$folder/before"
"$TILECAST" "${many[@]}" >/dev/null 2>&1 &
process=$!
sleep 0.5
kill -9 $process 2>/dev/null && wait $process 2>/dev/null
diff -r "$folder/kept" "$folder/before" >"$folder/diff" ||
  problem "a killed report changed the one before: $(head -3 "$folder/diff")"
[ -z "$(find "$folder/kept" -name '*.??????' -newer "$folder/many.csv")" ] || problem 'half-written files stayed'

# Errors before the work: predicting all rows takes half a minute, each of these under ten seconds.
start=$(now)
touch "$folder/file"
all=$data/dataset/squares.csv.gz
printf 'gpu: h200_sxm\ndata: [%s]\nsplit: %s\n' $all "$folder/file" >"$folder/m.yaml"
expect_error 2 "file:1: expected keys" "$TILECAST" report --manifest "$folder/m.yaml" --out "$folder/x"
expect_error 6 'file: cannot write files in it: Not a directory' \
  "$TILECAST" report --data $all --out "$folder/file"
expect_error 2 'data: expected at least one file' "$TILECAST" report \
  --manifest <(printf 'gpu: h200_sxm\ndata: []\n') --out "$folder/x"
echo '{"method": "simulated"}' >"$folder/record.json"
expect_error 2 'record.json: ' "$TILECAST" validate --data $all --check "$folder/record.json"
expect_error 6 'file/record.json: cannot' "$TILECAST" validate --data $all --record "$folder/file/record.json"
expect_error 2 '--record .*: also given as --data' \
  "$TILECAST" validate --data "$folder/rows.csv" --record "$folder/rows.csv"
expect_error 6 'none.csv: cannot read' "$TILECAST" predict 8192x8192x8192 --data "$folder/none.csv"
head -1 "$folder/rows.csv" >"$folder/header.csv"
expect_error 2 'header.csv: contains no measured rows' "$TILECAST" predict 512x512x512 --data "$folder/header.csv"
expect_error 6 'file/t.json: cannot create its directory' "$TILECAST" explain 8192x8192x8192 \
  --config $config --trace "$folder/file/t.json"
expect_error 6 'file/p.calibrated.yaml: cannot create its directory' "$TILECAST" calibrate \
  --data $all --out "$folder/file/p.calibrated.yaml"
echo 'mine' >"$folder/own.learned.yaml"
expect_error 2 'own.learned.yaml: not written by calibrate' "$TILECAST" calibrate \
  --data $all --out "$folder/own.calibrated.yaml"
rm "$folder/own.learned.yaml" && echo 'mine' >"$folder/own.learned.csv"
expect_error 2 'own.learned.csv: has no matching ' "$TILECAST" calibrate \
  --data $all --out "$folder/own.calibrated.yaml"
cp configs/gpus/h200_sxm.yaml "$folder/gpu.yaml" && ln -s gpu.yaml "$folder/link.yaml"
expect_error 2 'also given as --gpu' "$TILECAST" explain 128x128x128 --gpu "$folder/gpu.yaml" --trace "$folder/link.yaml"
expect_error 2 'also given as --gpu' "$TILECAST" validate --data $rows --gpu "$folder/gpu.yaml" --record "$folder/gpu.yaml"
expect_error 2 'also given as --gpu' "$TILECAST" campaign plan validate/suites/smoke.yaml --gpu "$folder/gpu.yaml" --out "$folder/gpu.yaml"
cmp configs/gpus/h200_sxm.yaml "$folder/gpu.yaml" || problem 'a GPU file was replaced'
[ $(($(now) - start)) -lt 60 ] || problem "errors came after $(($(now) - start)) s"
[ -e "$folder/x" ] && problem 'a refused report left a folder'

# Input with a byte-order mark, and a last line without a newline.
{ printf '\357\273\277'; zcat $rows | head -3; } | head -c -1 >"$folder/edited.csv"
expect_done 'points' "$TILECAST" validate --data "$folder/edited.csv"
{ printf '\357\273\277'; printf 'shapes: [512x512x512]\nconfigs: {best: 1}\nschedules: [pipelined]'; } >"$folder/s.yaml"
"$TILECAST" campaign expand "$folder/s.yaml" >"$folder/list" 2>"$folder/err" || problem "$(cat "$folder/err")"
grep -q '^1 point$' "$folder/err" || problem "expand says: $(cat "$folder/err")"

# With standard error closed, only messages are lost.
"$TILECAST" campaign expand "$folder/s.yaml" >"$folder/closed" 2>&-
[ $? = 0 ] || problem 'expand 2>&- fails'
cmp -s "$folder/list" "$folder/closed" || problem 'expand 2>&- writes something else'

# Suites: equal shapes are merged, and a suite in which nothing runs is an error.
{ printf 'configs: {best: 1}\nschedules: [pipelined]\nshapes:\n'; yes '  - 512x512x512' | head -3000; } >"$folder/s.yaml"
start=$(now)
"$TILECAST" campaign expand "$folder/s.yaml" >"$folder/list" 2>"$folder/err" || problem "$(cat "$folder/err")"
[ "$(wc -l <"$folder/list")" = 2 ] || problem "3,000 equal shapes gave $(wc -l <"$folder/list") lines"
[ $(($(now) - start)) -lt 20 ] || problem '3,000 equal shapes took long'
printf 'shapes: [512x512x512 ldc=513]\nconfigs: {best: 1}\n' >"$folder/s.yaml"
"$TILECAST" campaign expand "$folder/s.yaml" >"$folder/list" 2>"$folder/err"
[ $? = 2 ] || problem 'a suite of nothing that runs is no error'
[ -s "$folder/list" ] && problem 'a suite of nothing that runs wrote a list'
grep -q 'no point can be measured on h200_sxm' "$folder/err" || problem "expand says: $(cat "$folder/err")"

# Too many threads for the available memory.
if (ulimit -v 1000000 && "$TILECAST" --version) >/dev/null 2>&1; then  # not under a sanitizer
  (ulimit -v 1000000 && "$TILECAST" predict 4096x4096x4096 --threads 1000) >"$folder/out" 2>"$folder/err" ||
    problem "--threads 1000 with 1 GB: $(cat "$folder/err")"
fi
finish
