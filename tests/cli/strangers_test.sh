# What strangers found wrong, as they met it on the command line. Each block names the fault; the
# tests of the parts are beside their sources.
. tests/cli/expect.sh

# first COLUMN ARGUMENT...: that column of predict's first row
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
# holds EXPRESSION: of numbers, by awk
holds() { awk "BEGIN { exit !($1) }" || problem "$2: $1"; }

# A long K that is simulated in part: C of 4096x4096 fp16 is 33,554,432 bytes, 3.35544e7 in CSV.
for k in 65536 262144; do
  holds "$(first dram_write_bytes 4096x4096x$k) >= 33554400" "DRAM writes of 4096x4096x$k"
done
# FLOPs that were asked for: K = 1 is not 2 because fp8 goes in pairs.
holds "$(first tflops 4096x4096x1 --dtype e4m3) * $(first time_us 4096x4096x1 --dtype e4m3) / \
  (2 * 4096 * 4096 * 1e-6) < 1.001" 'TFLOPS of an odd K in fp8'
# No forecast reads faster than DRAM was measured: 4.584 TB/s of an H200.
problem_in_dram='32x37376x110976 --layout nn --dtype bf16'
bytes=$(awk 'BEGIN { printf "%.0f", 2 * (32 * 110976 + 37376 * 110976 + 32 * 37376) }')
# shellcheck disable=SC2086
holds "$bytes / $(first time_us $problem_in_dram) * 1e-6 <= 4.585" 'bytes a second from DRAM'
# Twice the columns are not faster.
holds "$(first time_us 16256x8x4272 --regime sustained) <= \
  1.05 * $(first time_us 16256x16x4272 --regime sustained)" 'eight columns against sixteen'
# A rule that drops candidates drops none that is the fastest.
holds "$(first time_us 128x2048x4432 --gpu b200 --inputs zeros) <= \
  1.001 * $(first time_us 128x2048x4432 --gpu b200 --inputs zeros \
    --config t5pi:tile=128x64x64,cta_group=2)" 'pairs of CTAs for 128 rows'

# Drawing every expert for every token took hours; it takes seconds.
timeout "${TILECAST_SANITIZED:+10}60" "$TILECAST" predict 512x512 --experts 1024 --tokens 4096 --top-k 1024 --routing zipf:1.1 \
  --draws 1 --method analytic --top 1 >"$folder/out" 2>"$folder/err" ||
  problem "1024 of 1024 experts for 4096 tokens: $(cat "$folder/err")"

# One kernel has one name: whole waves of a resident grid and a grid of tiles are the same.
"$TILECAST" predict 1024x1024x4096 --top 30 --format csv 2>/dev/null | sed -n '2,$s/^[0-9]*,"\([^"]*\)".*/\1/p' |
  sed 's/,grid=[a-z]*//' | sort | uniq -d >"$folder/twice"
[ ! -s "$folder/twice" ] || problem "listed under two names: $(head -n 1 "$folder/twice")"

# A refusal names its reason: there is nothing to split, and registers are not short.
"$TILECAST" predict 64x3248x256 --schedule stream_k >"$folder/out" 2>"$folder/err"
grep -q 'split' "$folder/err" || problem "stream_k of a short K: $(cat "$folder/err")"
grep -q 'more registers than the register file has' "$folder/err" && problem 'stream_k of a short K: registers'

# Text that becomes a script: a newline in a plan's name is no command.
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

# Lists as pandas and spreadsheets write them.
printf ',m, n, k,dtype\n0,512,512,512,torch.bfloat16\n,,,,\n' >"$folder/list.csv"
"$TILECAST" predict --problems "$folder/list.csv" --format csv >"$folder/out" 2>"$folder/err" ||
  problem "a pandas list: $(cat "$folder/err")"
[ "$(wc -l <"$folder/out")" = 2 ] || problem "a pandas list has one problem: $(cat "$folder/out")"

# BLAS's NN is not our nn: it is refused in capitals, with what to write.
expect_error 2 "layout 'NN': expected nn .*, or tt " "$TILECAST" predict 512x512x512 --layout NN

# Where the locale has a decimal comma, numbers are the same.
"$TILECAST" predict 512x512x512 --top 1 --format json >"$folder/c" 2>/dev/null
LC_ALL=de_DE.UTF-8 "$TILECAST" predict 512x512x512 --top 1 --format json >"$folder/de" 2>/dev/null
diff <(grep -v elapsed_ms "$folder/c") <(grep -v elapsed_ms "$folder/de") >"$folder/diff" ||
  problem "another locale, other numbers: $(head -n 3 "$folder/diff")"

# Several writers of one file: one wins, the others say so.
for i in 1 2 3 4; do
  "$TILECAST" emit 512x512x512 --out "$folder/emitted" >/dev/null 2>&1 &
  writers[i]=$!
done
won=0
for i in 1 2 3 4; do wait "${writers[i]}" && won=$((won + 1)); done
[ "$won" = 1 ] || problem "$won of four emits of one file were done"
finish
