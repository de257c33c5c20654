# Tests predict with CUTLASS's names, and its list of problems.
. tests/cli/expect.sh

"$TILECAST" predict 512x1024x256 --dtype bf16 --format cutlass --top 2 >"$folder/list.csv" 2>"$folder/err" ||
  problem "predict --format cutlass: $(cat "$folder/err")"
[ "$(wc -l <"$folder/list.csv")" = 3 ] || problem "not a header and two rows: $(cat "$folder/list.csv")"
head -n 1 "$folder/list.csv" | grep -q '^operation_name,m,n,k,' || problem "header: $(head -n 1 "$folder/list.csv")"
# CUTLASS's M is tilecast's N.
[ "$(grep -c '^cutlass3x_sm90_tensorop_gemm_bf16_.*_tnn_align8_.*,1024,512,256,1,tnn,' "$folder/list.csv")" = 2 ] ||
  problem "rows: $(cat "$folder/list.csv")"
expect_error 2 'none of the fastest configurations has a counterpart in CUTLASS: schedule [0-9]+' \
  "$TILECAST" predict 512x512x512 --schedule persistent --format cutlass
expect_error 2 'expected --op gemm' "$TILECAST" predict 4096 --op memcpy --format cutlass
expect_error 2 'expected no epilogue' "$TILECAST" predict 512x512x512 --epilogue relu --format cutlass

cat >"$folder/problems.json" <<'J'
[{"m": 512, "n": 1024, "k": 256, "batch_count": 1, "layout": "tnn", "dtype_a": "f16", "dtype_b": "f16",
  "dtype_c": "f16", "dtype_acc": "f32", "dtype_d": "f16", "beta": 0.0, "use_fast_acc": false},
 {"m": 512, "n": 1024, "k": 256, "layout": "tnn", "dtype_a": "e4m3", "dtype_b": "e4m3", "dtype_d": "e4m3"},
 {"shape": "64x64x64"}]
J
"$TILECAST" predict --problems "$folder/problems.json" --format jsonl >"$folder/out" 2>"$folder/err"
[ $? = 5 ] || problem "one of three cannot be: $(cat "$folder/err")"
[ "$(wc -l <"$folder/out")" = 3 ] || problem "three answers: $(cat "$folder/out")"
sed -n 1p "$folder/out" | grep -q '"m":1024,"n":512,"k":256' || problem "turned: $(head -n 1 "$folder/out")"
sed -n 2p "$folder/out" | grep -q 'dtype_a: expected f16 or bf16' || problem "refused: $(sed -n 2p "$folder/out")"
# Output through a pipe: a test list of the supported problems.
"$TILECAST" predict --problems - --format cutlass <"$folder/problems.json" >"$folder/out" 2>"$folder/err"
[ $? = 5 ] || problem "one of three cannot be: $(cat "$folder/err")"
grep -q '^tilecast: problem 2: dtype_a' "$folder/err" || problem "standard error: $(cat "$folder/err")"
grep -q '1 of 3 problems have no prediction' "$folder/err" || problem "end: $(cat "$folder/err")"
[ "$(grep -c '^cutlass3x' "$folder/out")" = 2 ] || problem "two kernels: $(cat "$folder/out")"
printf '[{"m": 8' >"$folder/cut.json"
expect_error 2 'cut.json:1: expected a JSON list of problems' "$TILECAST" predict --problems "$folder/cut.json"

# Invalid files and options are rejected in one line.
expect_error 6 'nofile: cannot read: No such file' "$TILECAST" predict --problems "$folder/nofile"
expect_error 6 "$folder: cannot read: Is a directory" "$TILECAST" predict --problems "$folder"
: >"$folder/empty"
expect_error 2 'empty: contains no problem' "$TILECAST" predict --problems "$folder/empty" --format csv
printf 'm,n,k,datatype\n128,128,128,bf16\n' >"$folder/datatype.csv"
expect_error 2 'datatype.csv:1: datatype: unknown column' "$TILECAST" predict --problems "$folder/datatype.csv"
"$TILECAST" predict --problems "$folder/problems.json" >"$folder/out" 2>"$folder/err"
[ "$(grep -c ' 1024x512x256\| 64x64x64' "$folder/out")" = 2 ] || problem "a row each: $(cat "$folder/out")"
grep -q '^line 2: dtype_a: expected f16' "$folder/out" || problem "refused: $(cat "$folder/out")"
for option in --wide --all --rejected; do
  expect_error 2 'excludes --(problems|wide|all|verbose|rejected)' "$TILECAST" predict --problems "$folder/problems.json" "$option"
done
[ "$("$TILECAST" predict 64x64x64 --format jsonl | wc -l)" = 1 ] || problem 'jsonl: not one line'

# A reader that closes the pipe ends the run: of 300 problems only those in progress are finished.
printf '64x64x64:19200:64\n' >"$folder/many"
{ "$TILECAST" predict --problems "$folder/many" --method analytic 2>"$folder/err"; echo $? >"$folder/code"; } |
  head -1 >/dev/null
[ "$(cat "$folder/code")" = 141 ] || problem "many | head -1: exit code $(cat "$folder/code")"
[ -s "$folder/err" ] && problem "many | head -1: $(cat "$folder/err")"
printf '64x64x64\n' >"$folder/few64"
expect_lost 6 'standard output: cannot write' "$TILECAST" predict --problems "$folder/few64" --method analytic

# Every CSV line has as many columns as the header.
printf '64x64x64\n8*64x64x64\n64x64x1\n' | "$TILECAST" predict --problems - --format csv --method analytic >"$folder/out" 2>"$folder/err"
[ "$(sed 's/"[^"]*"//g' "$folder/out" | tr -cd ',\n' | sort -u | wc -l)" = 1 ] || problem "columns: $(cat "$folder/out")"
[ "$(wc -l <"$folder/out")" = 4 ] || problem "four lines: $(cat "$folder/out")"

# A progress bar on a terminal, but not in a file.
if script -qec true /dev/null >/dev/null 2>&1; then  # whether `script` can allocate a terminal
  printf '64x64x64:256:64\n' >"$folder/few"
  script -qec "'$TILECAST' predict --problems '$folder/few' --method analytic >'$folder/out'" /dev/null >"$folder/seen" 2>&1
  grep -q '4 of 4 \[########################################\] problems' "$folder/seen" ||
    problem "no bar: $(cat -v "$folder/seen")"
fi
# Rows printed to the same terminal are on separate lines.
if script -qec true /dev/null >/dev/null 2>&1; then
  script -qec "'$TILECAST' predict --problems '$folder/few' --method analytic --format csv" /dev/null >"$folder/seen" 2>&1
  [ "$(tr -d '\r' <"$folder/seen" | sed 's/.*\x1b\[K//' | grep -Ec '^[1-4],1,.*,$')" = 4 ] ||
    problem "rows and bar: $(cat -v "$folder/seen")"
fi
grep -q '\[####' "$folder/err" && problem "a bar in a file: $(cat "$folder/err")"
finish
