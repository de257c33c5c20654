#!/usr/bin/env bash
# sanitized.sh asan|tsan: builds the preset with clang, warnings as errors, and runs its tests. Exit code 77
# if clang or its runtime is not installed.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/scripts/clang_tool.sh
clang=$(clang_tool clang++) || exit
flags=$(sed -n '/"name": "'"$1"'"/,/}/s/.*"CMAKE_CXX_FLAGS": "\(.*\)".*/\1/p' CMakePresets.json | head -n 1)
program=$(mktemp)
trap 'rm -f "$program"' EXIT
# shellcheck disable=SC2086
if ! echo 'int main() {}' | "$clang" -x c++ - $flags -o "$program" 2>/dev/null; then
  echo "$clang has no $1: skipped"
  exit 77
fi
export TSAN_OPTIONS=halt_on_error=0:second_deadlock_stack=1
cmake --preset "$1" -DCMAKE_CXX_COMPILER="$clang" -DTILECAST_WERROR=ON &&
  cmake --build --preset "$1" --parallel "$(nproc)" &&
  ctest --preset "$1" --parallel "$(nproc)"
