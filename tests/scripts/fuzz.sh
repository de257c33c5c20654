#!/usr/bin/env bash
# Coverage-guided fuzzing of the text inputs: fuzz.sh [SECONDS], each input for this long
# (default 10), from the corpus in the tree and the project's own files. The seed is fixed; findings
# and inputs with new coverage are left in build/fuzz/NAME, to be copied into tests/fuzz/corpus.
# Skips (77) if clang has no libFuzzer. For hours: tests/scripts/fuzz.sh 3600
set -eu
seconds=${1:-10}
cd "$(dirname "$0")/../.."
. tests/scripts/clang_tool.sh
clang=$(clang_tool clang++)
probe=$(mktemp)
trap 'rm -f "$probe"' EXIT
if ! echo 'extern "C" int LLVMFuzzerTestOneInput(const char*, unsigned long) { return 0; }' |
  "$clang" -x c++ - -fsanitize=fuzzer,address -o "$probe" 2>/dev/null; then
  echo "$clang has no libFuzzer: skipped"
  exit 77
fi
cmake --preset fuzz -DCMAKE_CXX_COMPILER="$clang" >/dev/null
cmake --build --preset fuzz --target tilecast_fuzzers --parallel "$(nproc)" >/dev/null
build=build/fuzz
own() { # the project's own files of one kind, as seeds besides the corpus
  case $1 in
    gpu_file) echo configs/gpus ;;
    suite) echo validate/suites ;;
    *) ;;
  esac
}
for program in "$build"/tests/fuzz/fuzz_*; do
  [ -x "$program" ] && [ -f "$program" ] || continue
  name=${program##*/fuzz_}
  mkdir -p "$build/$name"
  # shellcheck disable=SC2046
  if ! "$program" -seed=1 -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -max_len=65536 \
    -artifact_prefix="$build/$name/found-" -print_final_stats=1 \
    "$build/$name" "tests/fuzz/corpus/$name" $(own "$name") >"$build/$name.log" 2>&1; then
    tail -n 40 "$build/$name.log"
    echo "$name: a finding in $build/$name"
    exit 1
  fi
  echo "$name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log") inputs," \
    "$(sed -n 's/.*cov: \([0-9]*\).*/\1/p' "$build/$name.log" | tail -n 1) edges"
done
