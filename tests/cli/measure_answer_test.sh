# Tests tilecast measure SHAPE on a machine without a GPU: predicted and measured times in one
# table, without a file.
. tests/cli/expect.sh
export TMPDIR="$folder/temporary"
mkdir "$TMPDIR"

# answered WHAT COMMAND...: exit code 0, and the table in the output
answered() {
  local what=$1
  shift
  "$@" >"$folder/out" 2>"$folder/err" </dev/null || problem "$*: $(cat "$folder/err")"
  grep -Eq -- "$what" "$folder/out" || problem "$*: '$what' is not in: $(cat "$folder/out")"
  [ -z "$(awk 'length > 80' "$folder/out")" ] || problem "$*: a line of over 80 columns"
  [ "$(ls "$TMPDIR" | wc -l)" = 0 ] || problem "$*: left $(ls "$TMPDIR")"
}
answered "cuBLASLt top-1$" "$TILECAST_FAKE_GPU" measure 512x512x512
grep -q '; sustained clock' "$folder/out" || problem "not under continuous load: $(cat "$folder/out")"
[ "$(grep -c '^ *[1-3]  ' "$folder/out")" = 3 ] || problem "not three kernels: $(cat "$folder/out")"
grep -Eq '^Fastest tilecast kernel: #[1-3], ' "$folder/out" ||
  problem "no verdict: $(cat "$folder/out")"
answered 'pingpong' "$TILECAST_FAKE_GPU" measure 512 512 512 --config pingpong --regime burst
grep -q 'cuBLASLt' "$folder/out" && problem "a baseline that nobody asked for"
answered 'cuBLASLt' "$TILECAST_FAKE_GPU" measure 512x512x512 --config 'ws 128x128' cublaslt:best
answered '(^| )[0-9.]+ TB/s,' "$TILECAST_FAKE_GPU" measure 1048576 --op memcpy
grep -q 'memcpy_cpasync, block ' "$folder/out" || problem "no block: $(cat "$folder/out")"
answered 'cuDNN$' "$TILECAST_FAKE_GPU" measure 4x32:8x1024x1024x128 --op attention --causal
answered 'TB/s, .*cuDNN' "$TILECAST_FAKE_GPU" measure 1x32:8x1x1024x128 --op attention
expect_error 2 'no candidate' "$TILECAST_FAKE_GPU" measure 512x512x512 --config 'ws 8x8'
expect_error 2 'expected --out CSV' "$TILECAST_FAKE_GPU" measure --suite validate/suites/smoke.yaml
# A file is kept if --out names it.
"$TILECAST_FAKE_GPU" measure 512x512x512 --out "$folder/rows.csv" >"$folder/out" 2>/dev/null
[ "$(wc -l <"$folder/rows.csv")" = 5 ] || problem "rows: $(cat "$folder/rows.csv")"

finish
