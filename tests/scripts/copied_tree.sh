# Sourced, from the root, by tests that change a copy of the tree and build it: `build`, their build folder, and
# `folder`, in which `tree`, `build` and the logs are, must be set. Makes the copy and changes into it.
root=$PWD
cached() { sed -n "s|^$1:[A-Z]*=||p" "$build/CMakeCache.txt"; }
fail() {
  echo "FAILED: $*"
  exit 1
}
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
