# Tests that doctor reports a level in every environment.
. tests/cli/expect.sh

expect_done '^level +(model|toolkit|gpu|counters)$' "$TILECAST" doctor
expect_done '^\{"schema":1,"level":"(model|toolkit|gpu|counters)","levels":\{"model":true,' \
  "$TILECAST" doctor --format json

# In a folder without tilecast-gpu, the program does not find it.
cp "$TILECAST" "$folder/tilecast"
expect_done '"level":"model".*"missing":".*CUDA toolkit' "$folder/tilecast" doctor --format json
expect_error 3 'measure needs the CUDA toolkit' "$folder/tilecast" measure --anything at all
expect_error 3 'measure needs the CUDA toolkit' "$folder/tilecast" measure --help

# tilecast_gpu_that TEXT: creates a tilecast-gpu with these shell lines in the program's folder
tilecast_gpu_that() {
  printf '#!/bin/sh\n%s\n' "$1" >"$folder/tilecast-gpu"
  chmod +x "$folder/tilecast-gpu"
}
tilecast_gpu_that 'echo "libnvrtc.so.13: cannot open" >&2; exit 127'
expect_done '"level":"model".*libnvrtc.so.13: cannot open' "$folder/tilecast" doctor --format json
tilecast_gpu_that 'echo "{\"toolkit\":"'
expect_done '"level":"model".*readable output of tilecast-gpu' "$folder/tilecast" doctor --format json
tilecast_gpu_that 'kill -SEGV $$'
expect_done '"level":"model".*exit code 139' "$folder/tilecast" doctor --format json
tilecast_gpu_that 'echo "{\"schema\":1,\"toolkit\":\"13.0\",\"nvrtc\":\"13.0\",\"device_error\":\"no driver\"}"'
expect_done '"level":"toolkit".*"missing":"no driver"' "$folder/tilecast" doctor --format json
tilecast_gpu_that 'echo "{\"schema\":1,\"toolkit\":\"13.0\",\"nvrtc\":\"13.0\",\"cupti\":1,\"device\":\"H200\",\"counters\":{\"error\":\"no permission\"}}"'
expect_done '"level":"gpu".*"counters":false.*"missing":"no permission"' \
  "$folder/tilecast" doctor --format json

# Arguments of measure are passed on unchanged.
tilecast_gpu_that 'for word; do printf "[%s]" "$word"; done'
expect_done '^\[measure\]\[8x8x8\]\[--config\]\[a b\]\[--help\]$' \
  "$folder/tilecast" measure 8x8x8 --config 'a b' --help
chmod -x "$folder/tilecast-gpu"
expect_error 3 'cannot start' "$folder/tilecast" measure
finish
