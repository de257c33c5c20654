# Regression tests of faults that users found on the command line. Each block states the correct
# behaviour; unit tests are next to the sources.
. tests/cli/expect.sh

# first COLUMN ARGUMENT...: a column of the first row of predict
first() {
  local column=$1
  shift
  "$TILECAST" predict "$@" --top 1 --format csv >"$folder/out" 2>"$folder/err" ||
    { problem "predict $*: $(cat "$folder/err")" && echo 0 && return; }
  # The configuration is the only field with commas, in quotes.
  sed 's/"[^"]*"/config/' "$folder/out" | awk -F, -v column="$column" '
    NR == 1 { for (i = 1; i <= NF; ++i) { if ($i == column) { at = i } } }
    NR == 2 { print $at }'
}
# holds EXPRESSION: a numeric comparison, evaluated by awk
holds() { awk "BEGIN { exit !($1) }" || problem "$2: $1"; }

# A long K that is partly simulated: C of 4096x4096 fp16 is 33,554,432 bytes, 3.35544e7 in CSV.
for k in 65536 262144; do
  holds "$(first dram_write_bytes 4096x4096x$k) >= 33554400" "DRAM writes of 4096x4096x$k"
done
# TFLOPS count the FLOPs of the problem: K = 1 does not count as 2 for fp8.
holds "$(first tflops 4096x4096x1 --dtype e4m3) * $(first time_us 4096x4096x1 --dtype e4m3) / \
  (2 * 4096 * 4096 * 1e-6) < 1.001" 'TFLOPS of an odd K in fp8'
# No forecast reads faster than the highest measured DRAM rate, 4.584 TB/s on an H200.
problem_in_dram='32x37376x110976 --layout nn --dtype bf16'
bytes=$(awk 'BEGIN { printf "%.0f", 2 * (32 * 110976 + 37376 * 110976 + 32 * 37376) }')
# shellcheck disable=SC2086
holds "$bytes / $(first time_us $problem_in_dram) * 1e-6 <= 4.585" 'bytes a second from DRAM'
# Twice the columns take longer, or as long by the closed form and up to 6 % less by the learned
# correction (measured 0.987 to 1.006 of each other).
holds "$(first time_us 16256x8x4272 --regime sustained) <= \
  1.06 * $(first time_us 16256x16x4272 --regime sustained)" 'eight columns against sixteen'
# Pruning never drops the fastest candidate.
holds "$(first time_us 128x2048x4432 --gpu b200 --inputs zeros) <= \
  1.001 * $(first time_us 128x2048x4432 --gpu b200 --inputs zeros \
    --config t5pi:tile=128x64x64,cta_group=2)" 'pairs of CTAs for 128 rows'

# Drawing every expert for every token takes seconds.
timeout "${TILECAST_SANITIZED:+10}60" "$TILECAST" predict 512x512 --experts 1024 --tokens 4096 --top-k 1024 --routing zipf:1.1 \
  --draws 1 --method analytic --top 1 >"$folder/out" 2>"$folder/err" ||
  problem "1024 of 1024 experts for 4096 tokens: $(cat "$folder/err")"

# One kernel has one name: a resident grid with whole waves is a grid of tiles.
"$TILECAST" predict 1024x1024x4096 --top 30 --format csv 2>/dev/null | sed -n '2,$s/^[0-9]*,"\([^"]*\)".*/\1/p' |
  sed 's/,grid=[a-z]*//' | sort | uniq -d >"$folder/twice"
[ ! -s "$folder/twice" ] || problem "listed under two names: $(head -n 1 "$folder/twice")"

# Rejections name the right reason: there is nothing to split, and registers suffice.
"$TILECAST" predict 64x3248x256 --schedule stream_k >"$folder/out" 2>"$folder/err"
grep -q 'split' "$folder/err" || problem "stream_k of a short K: $(cat "$folder/err")"
grep -q 'more registers than the register file has' "$folder/err" && problem 'stream_k of a short K: registers'

# Names cannot inject commands into a script: here a newline in a plan's name.
printf 'shapes: [512x512x512]\nconfigs:\n  - best: 1\n' >"$folder/suite.yaml"
if "$TILECAST" campaign plan "$folder/suite.yaml" --out "$folder/plan.csv" >/dev/null 2>"$folder/err"; then
  named="$folder/$(printf 'plan\ntouch stranger\n').csv"
  cp "$folder/plan.csv" "$named"
  (cd "$folder" && "$(realpath "$OLDPWD/$TILECAST" 2>/dev/null || realpath "$TILECAST")" campaign slurm \
    "$named" --max-array-size 1001) >"$folder/out" 2>"$folder/err"
  ! grep -rqx 'touch stranger' "$folder" --include='*.sh' --include='*.sbatch' ||
    problem 'a plan named with a newline wrote a command into a job script'
else
  problem "plan: $(cat "$folder/err")"
fi

# Lists as written by pandas and spreadsheets.
printf ',m, n, k,dtype\n0,512,512,512,torch.bfloat16\n,,,,\n' >"$folder/list.csv"
"$TILECAST" predict --problems "$folder/list.csv" --format csv >"$folder/out" 2>"$folder/err" ||
  problem "a pandas list: $(cat "$folder/err")"
[ "$(wc -l <"$folder/out")" = 2 ] || problem "a pandas list has one problem: $(cat "$folder/out")"

# A file's name cannot send commands to the terminal.
mkdir "$folder/odd"
cp -r configs/. "$folder/odd"
cp configs/gpus/l40s.yaml "$folder/odd/gpus/"$'a\e[31mb.yaml'
TILECAST_CONFIG_DIR=$folder/odd "$TILECAST" gpus >"$folder/out" 2>&1
grep -q 'a.x1b' "$folder/out" || problem "gpus does not list an odd name: $(cat "$folder/out")"
! grep -q $'\e' "$folder/out" || problem 'gpus sends an escape sequence of a file name'

# Windows of 0.1 s under continuous load do not repeat.
if [ -x "$(dirname "$TILECAST")/tilecast-gpu" ]; then
  "$TILECAST" measure --help | tr -s '\n ' ' ' | grep -q -- '--window N .* in milliseconds, .*; default 1000 ' ||
    problem 'sustained rows are not timed for 1 s by default'
fi

# BLAS's NN is not nn here: upper case is rejected, with the layout to write.
expect_error 2 "layout 'NN': expected .* in lower case: nn .*, or tt " "$TILECAST" predict 512x512x512 --layout NN

# A locale with a decimal comma does not change numbers.
"$TILECAST" predict 512x512x512 --top 1 --format json >"$folder/c" 2>/dev/null
LC_ALL=de_DE.UTF-8 "$TILECAST" predict 512x512x512 --top 1 --format json >"$folder/de" 2>/dev/null
diff <(grep -v elapsed_ms "$folder/c") <(grep -v elapsed_ms "$folder/de") >"$folder/diff" ||
  problem "another locale, other numbers: $(head -n 3 "$folder/diff")"

# Names on the terminal cannot turn the direction of its text.
expect_error 2 'xe2.x80.xae' "$TILECAST" predict 64x64x64 --gpu $'h\xe2\x80\xae200'
expect_error 2 'xe2.x80.xae' "$TILECAST" predict $'64x\xe2\x80\xae64'
# Each message states the error, its place, and the exceeded limit.
expect_error 2 "expected lda=, ldb= or ldc= after it, got 'foo=1'" "$TILECAST" predict 64x64x64 foo=1
expect_error 2 "got 'foo=1'" "$TILECAST" predict '64x64x64 foo=1'
expect_error 2 'SHAPE: expected M N K, got 4 numbers' "$TILECAST" predict 1 2 3 4
expect_error 2 '100:1000000:1.*: SHAPE cannot contain a range of numbers' "$TILECAST" predict 100:1000000:1x64x64
expect_error 2 'requires --op attention' "$TILECAST" predict 4x32:8x512x512x128
expect_error 2 'only on Hopper GPUs' "$TILECAST" predict 4x32:8x512x512x128 --op attention --gpu a100
expect_error 2 'excludes --(accumulate|no-fast-accum)' "$TILECAST" predict 64x64x64 --dtype fp8 --no-fast-accum --accumulate fast
printf '256,0\n17, 5x\n' >"$folder/groups"
expect_error 2 "groups:2: expected the rows of a group, .*got '5x'" "$TILECAST" predict 64x64 --groups-file "$folder/groups"
: >"$folder/groups"
expect_error 2 "groups: groups '': expected" "$TILECAST" predict 64x64 --groups-file "$folder/groups"
printf 'shapes: [{}]\nconfigs: all\n' >"$folder/su.yaml"
expect_error 2 'su.yaml:1: shapes\[0\]: expected' "$TILECAST" campaign expand "$folder/su.yaml"
[ "$(grep -o 'su.yaml' "$folder/err" | wc -l)" = 1 ] || problem "a place is said twice: $(cat "$folder/err")"
# For a list of problems, a message quotes the start of a long line, and names the limit that a
# range exceeds.
{ printf '100:1000000:1x64x64\n'; head -c 1000000 /dev/zero | tr '\0' x; } >"$folder/long"
"$TILECAST" predict --problems "$folder/long" >"$folder/out" 2>/dev/null
tr -s '\n ' ' ' < "$folder/out" | grep -q 'stands for 999,901 numbers, expected at most 10,000' || problem "range: $(head -c 300 "$folder/out")"
[ "$(wc -c <"$folder/out")" -lt 5000 ] || problem "an error of $(wc -c <"$folder/out") bytes"
# Equal lines of a list of configurations count once.
yes 128x256x64 | head -20000 >"$folder/configs"
echo 128x128x64 >>"$folder/configs"
"$TILECAST" predict 512x512x512 --method analytic --configs "$folder/configs" >"$folder/out" 2>"$folder/err" ||
  problem "configs: $(cat "$folder/err")"
grep -q 'configs: 2 configurations, 19,999 repeated$' "$folder/err" || problem "configs: $(cat "$folder/err")"
# Without Slurm, --submit reports that.
if ! command -v sbatch >/dev/null; then
  "$TILECAST" campaign slurm "$folder/plan.csv" --max-array-size 1001 --submit >"$folder/out" 2>"$folder/err"
  [ $? = 6 ] || problem "--submit without Slurm: $(cat "$folder/err")"
  tail -1 "$folder/err" | grep -q 'sbatch: not installed here; on a machine with Slurm run: sh .*plan.submit.sh' ||
    problem "--submit without Slurm: $(cat "$folder/err")"
fi
# explain and predict name one time for one kernel that both simulated.
"$TILECAST" predict 2048x2048x2048 --format json >"$folder/out" 2>/dev/null
"$TILECAST" explain 2048x2048x2048 --format json >"$folder/explained" 2>/dev/null
if command -v python3 >/dev/null; then
  python3 - "$folder/out" "$folder/explained" <<'PYTHON' >"$folder/found" 2>&1 || problem "$(cat "$folder/found")"
import json, sys

predicted, explained = (json.load(open(path)) for path in sys.argv[1:])
times = {row["config"]: row["time_us"] for row in predicted["by_tile"] + [predicted["cutlass"]]
         if row["method"] == "simulated"}
for kernel in explained["kernels"]:
    if kernel["config"] in times:
        assert kernel["time_us"] == times[kernel["config"]], (kernel["config"], times[kernel["config"]])
assert sum(kernel["config"] in times for kernel in explained["kernels"]) >= 1, "no kernel in common"
PYTHON
fi

# One of several writers of a file succeeds, the others report an error.
for i in 1 2 3 4; do
  "$TILECAST" emit 512x512x512 --out "$folder/emitted" >/dev/null 2>&1 &
  writers[i]=$!
done
won=0
for i in 1 2 3 4; do wait "${writers[i]}" && won=$((won + 1)); done
[ "$won" = 1 ] || problem "$won of four emits of one file were done"
finish
