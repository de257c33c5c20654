# Sourced, from the root, by tests that change a copy of the tree and build it on one of four days: `turn`, that day,
# `build`, their build folder, and `folder`, in which `tree`, `build` and the logs are, must be set. Makes the copy and
# changes into it. TILECAST_TEST_ALL=1: every day.
day=${TILECAST_TEST_SEED:-$(($(date +%s) / 86400))}
[ $((day % 4)) = "$turn" ] || [ -n "${TILECAST_TEST_ALL:-}" ] || { echo "not today"; exit 77; }
root=$PWD
cached() { sed -n "s|^$1:[A-Z]*=||p" "$build/CMakeCache.txt"; }
fail() {
  echo "FAILED: $*"
  exit 1
}
# compiles FILE: whether a source or header of the copy does.
compiles() {
  "$(cached CMAKE_CXX_COMPILER)" -std=c++20 -Wall -Werror -fsyntax-only -I. -x c++ - 2>/dev/null <<END
#include "$1"
END
}
# changes OPTION...: how the copy differs from the tree, by diff.
changes() { diff -r "$@" --exclude=build --exclude=.git --exclude=.cache "$root" .; }
# build_copy TARGET OPTION...: builds a target without CUDA, with further options of CMake.
build_copy() {
  target=$1
  shift
  cmake -S . -B ../build -G "$(cached CMAKE_GENERATOR)" -DTILECAST_WITH_CUDA=OFF "$@" \
    -DTILECAST_FAST_BUILD=ON -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 \
    -DCMAKE_CXX_COMPILER="$(cached CMAKE_CXX_COMPILER)" \
    -DCMAKE_CXX_COMPILER_LAUNCHER="$(cached CMAKE_CXX_COMPILER_LAUNCHER)" \
    -DTILECAST_FETCH_DEPS="$(cached TILECAST_FETCH_DEPS)" >../configure.log 2>&1 ||
    { cat ../configure.log; fail configure; }
  cmake --build ../build --parallel 2 --target "$target" >../build.log 2>&1 ||
    { grep -A5 error ../build.log; fail build; }
}

rm -rf "$folder/tree"
mkdir -p "$folder/tree"
tar -c --exclude=./build --exclude=./.git --exclude=./.cache . | tar -x -C "$folder/tree"
cd "$folder/tree" || exit 1
