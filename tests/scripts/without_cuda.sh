# without_cuda.sh BUILD: configures a build without the CUDA toolkit and compiles only what differs
# from BUILD, which has the toolkit. Files that both compile with the same command from the same
# sources are taken from BUILD and tested there. CUDA's headers are hidden from every compiler.
set -u
build=$1
folder=$build/without_cuda
command -v ninja >/dev/null && [ -f "$build/build.ninja" ] || { echo "needs ninja"; exit 77; }
mkdir -p "$folder"

no_cuda=$folder/no_cuda
. tests/scripts/hide_cuda.sh
hide_cuda "$no_cuda"

cached() { sed -n "s|^$1:[A-Z]*=|-D$1=|p" "$build/CMakeCache.txt"; }
# shellcheck disable=SC2046
if ! cmake -S . -B "$folder" -G Ninja -DTILECAST_WITH_CUDA=OFF $(cached CMAKE_CXX_COMPILER) \
  $(cached CMAKE_CXX_COMPILER_LAUNCHER) $(cached CMAKE_BUILD_TYPE) $(cached TILECAST_FETCH_DEPS) \
  $(cached TILECAST_FAST_BUILD) \
  "$(cached CMAKE_CXX_FLAGS)" >"$folder/configure.log" 2>&1; then
  cat "$folder/configure.log"
  exit 1
fi

commands() { # FOLDER: all, as if BUILD were the folder
  ninja -C "$1" -t commands all tilecast_headers | sed -e '/^ninja: /d' -e "s|$1|$build|g" \
    -e 's|without_cuda/||g' | sort -u
}
commands "$build" >"$folder/with"
commands "$folder" >"$folder/without"
comm -13 "$folder/with" "$folder/without" >"$folder/different"
echo "$(wc -l <"$folder/without") commands, $(wc -l <"$folder/different") of them otherwise than with CUDA"
[ "$(wc -l <"$folder/without")" -gt 200 ] || { echo "few commands"; exit 1; }

failed=0
compile() { sh -c "cd '$folder' && $1 -fsyntax-only -I'$no_cuda'"; }
while read -r command; do
  case $command in
    *' -c '*)
      if ! compile "$command"; then
        echo "FAILED without CUDA: $command"
        failed=1
      fi
      ;;
    *libtilecast.so*) ;;  # it and its tests are linked with kernels or without
    *)
      echo "not as with CUDA: $command"
      failed=1
      ;;
  esac
done <"$folder/different"

# Checks the check: a CUDA header is detected.
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
echo '#include <cuda_runtime_api.h>' >"$folder/planted.cpp"
if compile "$compiler -c $folder/planted.cpp" >/dev/null 2>&1; then
  echo "a header of CUDA was found"
  failed=1
fi
exit $failed
