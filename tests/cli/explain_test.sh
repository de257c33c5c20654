# Tests explain and predict by simulation, as programs: unwritable output, and --help.
. tests/cli/expect.sh

config=pipelined:tile=128x128x64,stages=3,warpgroups=1x1,ctas=2,inflight=1,c_slots=0,raster=grouped_m,group=8

expect_done '^#1 ' "$TILECAST" explain 1024x1024x1024 --config $config
expect_done '"clock_limiter": "' "$TILECAST" explain 1024x1024x1024 --config $config --format json
expect_done '--trace' "$TILECAST" explain --help
expect_done '--method' "$TILECAST" predict --help
expect_done '--method' "$TILECAST" validate --help
expect_error 2 'tile=128x128x64.*is not legal on h200_sxm for fp16 tn: .*; needs ctas of at most' "$TILECAST" explain 1024x1024x1024 \
  --config ${config/ctas=2/ctas=7}
expect_error 2 "unknown option '--tarce'.*did you mean --trace" "$TILECAST" explain 64x64x64 \
  --config $config --tarce x
expect_error 6 "/dev/null/none" "$TILECAST" explain 1024x1024x1024 --config $config \
  --trace /dev/null/none/t.json
expect_lost 6 'standard output: cannot write' "$TILECAST" explain 1024x1024x1024 --config $config

# A trace is deterministic, and valid without a terminal.
for name in one two; do
  "$TILECAST" explain 1024x1024x1024 --config $config --trace "$folder/$name" >/dev/null
done
cmp -s "$folder/one" "$folder/two" || problem 'two traces of one kernel differ'
finish
