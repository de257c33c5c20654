# Tests calibrate --run without a GPU: a script that prints recorded rows replaces tilecast-gpu.
. tests/cli/expect.sh

mkdir "$folder/programs" "$folder/new" "$folder/config" "$folder/config/gpus" || exit 1
cp "$TILECAST" "$(dirname "$TILECAST")/tilecast-data" "$folder/programs"
# It logs its arguments; rows end early if the file `interrupted` exists.
cat >"$folder/programs/tilecast-gpu" <<'EOF'
#!/bin/sh
here=$(dirname "$(dirname "$0")")
command=$1
if [ "$command" = probe ]; then
  cat "$here/probe"
  exit
fi
echo "$*" >>"$here/asked"
while [ $# -gt 0 ]; do
  [ "$1" = --out ] && out=$2
  [ "$1" = --overlay ] && overlay=$2
  shift
done
if [ "$command" = micro ]; then
  echo 'kernel,value' >"$out"
  printf 'name: h200_sxm\nmachine:\n  wake: {value: 186, unit: cycle, source: measured, confidence: medium, ref: "a test"}\n' >"$overlay"
elif [ -e "$here/interrupted" ]; then
  head -30 "$here/recorded.csv" >"$out"
  exit 5
else
  cp "$here/recorded.csv" "$out"
fi
EOF
chmod +x "$folder/programs/tilecast-gpu"
echo '{"toolkit": "12.8", "nvrtc": "12.8", "device_error": "no NVIDIA driver"}' >"$folder/probe"
zcat validate/data/h200_sxm/calibration/second.measured.csv.gz | awk 'NR == 1 || NR % 8 == 0' >"$folder/recorded.csv"

# A folder with GPU files that can be damaged.
cp configs/gpus/h200_sxm* "$folder/config/gpus"
cp -r configs/counters configs/*.csv "$folder/config"
export TILECAST_CONFIG_DIR=$folder/config

run() {
  "$folder/programs/tilecast" calibrate --run --no-simulation --out "$folder/new/card.calibrated.yaml" \
    "$@" >"$folder/out" 2>"$folder/err" </dev/null
}

# last_error_line PATTERN WHAT: ignores the progress lines before it
last_error_line() {
  sed -i '$!d' "$folder/err"
  one_error_line "$@"
}

# Without a driver nothing is announced, measured or written.
run && problem 'calibrate --run without a driver'
one_error_line "calibrate --run needs a GPU to measure: no NVIDIA driver" 'no driver'
[ ! -e "$folder/asked" ] || problem "measured without a driver: $(cat "$folder/asked")"
[ -z "$(ls "$folder/new")" ] || problem "files without a driver: $(ls "$folder/new")"
echo '{"toolkit": "12.8", "nvrtc": "12.8", "cupti": 26, "driver": "580", "device": {"name": "H200"}}' >"$folder/probe"

# Interrupted after 29 rows, which are too few: only the measurements are written.
touch "$folder/interrupted"
run && problem 'a fit to 29 rows'
# The budget covers the whole command: the plan is printed first and uses all of the time.
grep -Eq 'ends in 7:00: micro-benchmarks \(about 2:15\), kernels for 4:[0-9]+, then the fit' "$folder/err" ||
  problem "no announcement: $(cat "$folder/err")"
given=$(sed -n 's/^measure .*--budget \([0-9]*\)s .*/\1/p' "$folder/asked" | head -1)
[ "${given:-0}" -gt 300 ] && [ "$given" -lt 415 ] || problem "kernels got $given s of 420"
grep -q 'fit the rows measured so far: ./tilecast calibrate .*--data .*card.measured.csv' "$folder/err" ||
  problem "how to fit the rows measured so far: $(cat "$folder/err")"
last_error_line 'expected at least 60 measured GEMMs, got 29 ' interrupted
[ ! -e "$folder/new/card.learned.yaml" ] || problem 'something was learned of 29 rows'
rm "$folder/interrupted"
run --budget 30s && problem 'a budget of 30 s'
one_error_line '--budget 30s: expected 1:[0-9]+ or more, since it covers ' 'a budget of 30 s'

# Second run: the micro-benchmarks are not repeated; only missing rows are measured.
run || problem "calibrate --run: $(cat "$folder/err")"
[ "$(grep -c '^micro' "$folder/asked")" = 1 ] || problem "asked: $(cat "$folder/asked")"
grep -q -- '--resume' "$folder/asked" || problem "not resumed: $(cat "$folder/asked")"
grep -q '^Prior: the correction of h200_sxm, shifted by ' "$folder/out" || problem "no prior: $(cat "$folder/out")"
for line in "this GPU's rows only" 'h200_sxm only' 'both'; do
  grep -Eq "^  $line +cycles +[0-9.]+ %, +[0-9.]+ % near the best; clock [0-9.]+ %" "$folder/out" || problem "no line '$line': $(cat "$folder/out")"
done
# error_of NAME: the error of the cycles
error_of() { sed -n "s/^  $1 *cycles *\([0-9.]*\) %.*/\1/p" "$folder/out"; }
awk -v own="$(error_of "this GPU's rows only")" -v both="$(error_of both)" 'BEGIN {exit !(both < own)}' ||
  problem "the prior gained nothing: $(cat "$folder/out")"
grep -q '^prior: h200_sxm$' "$folder/new/card.learned.yaml" || problem 'no prior in what was learned'
grep -q -- '--prior h200_sxm' "$folder/new/card.learned.yaml" || problem 'the command does not name the prior'

# The calibrated GPU has a prediction, and explain lists the contributions to its correction.
sed 's/^name: .*/name: h200_sxm/' configs/gpus/h200_sxm.yaml >"$folder/new/card.yaml"
"$TILECAST" explain 12000x6000x3000 --format json --gpu "$folder/new/card.yaml" >"$folder/out" 2>"$folder/err" ||
  problem "explain: $(cat "$folder/err")"
grep -q '"of": "all kernels"' "$folder/out" || problem "no contributions: $(cat "$folder/out")"

# A GPU without wgmma: no micro-benchmarks, kernels of its own search space, no prior.
mine=$folder/new/h200_mma_sync
cp validate/data/h200_sxm/multistage/h200_mma_sync.yaml "$mine.yaml"
cp "$folder/recorded.csv" "$folder/of_hopper.csv"
zcat validate/data/h200_sxm/multistage/held_out/measured.csv.gz | sed 's/^h200_sxm,/h200_mma_sync,/' >"$folder/recorded.csv"
: >"$folder/asked"
"$folder/programs/tilecast" calibrate --run --no-simulation --gpu "$mine.yaml" --out "$mine.calibrated.yaml" \
  >"$folder/out" 2>"$folder/err" </dev/null || problem "calibrate --run without wgmma: $(cat "$folder/err")"
grep -q '^micro' "$folder/asked" && problem "micro-benchmarks without wgmma: $(cat "$folder/asked")"
grep -q -- "^measure --points $mine.points.csv " "$folder/asked" || problem "points: $(cat "$folder/asked")"
[ "$(grep -c '^gemm,.*multistage' "$mine.points.csv")" -gt 600 ] || problem "few points: $(wc -l "$mine.points.csv")"
grep -q 'kernels for 6:[0-9]*, then the fit' "$folder/err" || problem "no time for micro-benchmarks: $(cat "$folder/err")"
grep -q '^  machine.kernel .* ns' "$folder/out" || problem "no constants of cycles: $(cat "$folder/out")"
grep -q '^Prior' "$folder/out" && problem "a prior: $(cat "$folder/out")"
"$TILECAST" predict 1000x2000x3000 --gpu "$mine.yaml" >"$folder/out" || problem 'predict after calibrate'
grep -q ', calibrated' "$folder/out" || problem "not calibrated: $(cat "$folder/out")"
mv "$folder/of_hopper.csv" "$folder/recorded.csv"

# Damaged files are reported in one line each.
run --prior none && problem 'a fit to 166 rows alone'
last_error_line 'expected at least 300 measured GEMMs, got 166 .excluded rows, .* repeated: 2.$' 'without a prior'
head -c 10000 "$folder/config/gpus/h200_sxm.learned.csv" >"$folder/cut"
mv "$folder/cut" "$folder/config/gpus/h200_sxm.learned.csv"
expect_error 2 'h200_sxm.learned.yaml:[0-9]+: trees: does not match the hash of ' "$folder/programs/tilecast" \
  calibrate --data "$folder/recorded.csv" --prior h200_sxm --no-simulation --out "$folder/new/other.calibrated.yaml"
echo '1,2,3' >>"$folder/recorded.csv"
expect_error 2 'recorded.csv:[0-9]+: ' "$folder/programs/tilecast" \
  calibrate --data "$folder/recorded.csv" --no-simulation --out "$folder/new/other.calibrated.yaml"

finish
