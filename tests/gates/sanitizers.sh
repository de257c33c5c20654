#!/usr/bin/env bash
# compute-sanitizer's four tools at once over tests that run kernels; needs a GPU, run manually:
#   tests/gates/sanitizers.sh PROGRAM [TEST]
# TEST: by default that of kernels with mma.sync (kernels/jit/gemm_launch_test.cpp). Logs go to
# sanitizer.TOOL.log; exit code 1 if a tool finds an error or a test fails.
set -u
program=${1:?program of tests, such as build/release/tilecast_kernels_test}
test=${2:-mma.sync kernels multiply odd shapes in every layout*}
declare -A pids
for tool in memcheck racecheck initcheck synccheck; do
  compute-sanitizer --tool "$tool" --error-exitcode 9 "$program" "$test" >"sanitizer.$tool.log" 2>&1 &
  pids[$tool]=$!
done
failed=0
for tool in "${!pids[@]}"; do
  wait "${pids[$tool]}"
  code=$?
  [ $code = 0 ] || failed=1
  echo "$tool: exit $code; $(grep -E 'SUMMARY|All tests passed|test cases:' "sanitizer.$tool.log" | tr '\n' ' ')"
done
exit $failed
