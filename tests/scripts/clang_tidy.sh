#!/usr/bin/env bash
# Runs clang-tidy, 16 or later, with the checks of .clang-tidy on model/, library/ and cli/. Exit code
# 77 if it is not installed.
set -u
cd "$(dirname "$0")/../.." || exit 1
. tests/scripts/clang_tool.sh
tidy=$(clang_tool clang-tidy) && clang=$(clang_tool clang++) || exit

# Joined sources take a third of the time; clang-tidy treats a joined source as a header.
build=$PWD/build/tidy
cmake -S . -B "$build" -DCMAKE_CXX_COMPILER="$clang" -DTILECAST_FAST_BUILD=ON -DTILECAST_BUILD_TESTS=OFF \
  -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >"$build.log" 2>&1 || { cat "$build.log"; exit 1; }
mapfile -t sources < <(sed -n 's/^ *"file": "\(.*\)".*/\1/p' "$build/compile_commands.json" | sort -u |
  grep -E "^$PWD/(build/tidy/CMakeFiles/tilecast_model\.dir/Unity|build/tidy/cli|model|library|cli)/")
[ "${#sources[@]}" -gt 40 ] || { echo "only ${#sources[@]} sources"; exit 1; }

echo 'double planted(int n) { return n / 2; }' >"$build/planted.cpp"
if "$tidy" --quiet "$build/planted.cpp" -- >/dev/null 2>&1; then
  echo "a planted finding was not noticed"
  exit 1
fi
printf '%s\0' "${sources[@]}" |
  xargs -0 -n 1 -P "$(nproc)" "$tidy" -p "$build" --quiet \
    --header-filter="^$PWD/(model|library|cli|include)/" 2>"$build.log"
