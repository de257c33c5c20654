# installed_library.sh BUILD: installs libtilecast of a finished build into a new folder, builds the
# examples against it with find_package and with pkg-config, and runs them without access to the
# source tree. The library exports exactly what its header declares.
set -u
build=$1
[ -e "$build/library/libtilecast.so" ] || { echo "libtilecast is not built"; exit 77; }
[ -z "${TILECAST_SANITIZED:-}" ] || { echo "programs without a sanitizer cannot load it"; exit 77; }
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
prefix=$folder/prefix
cached() { sed -n "s|^$1:[A-Z]*=||p" "$build/CMakeCache.txt"; }
fail() { echo "FAILED: $*"; exit 1; }

cmake --install "$build" --component library --prefix "$prefix" >"$folder/install.log" 2>&1 ||
  { cat "$folder/install.log"; fail install; }
library=$(find "$prefix" -name libtilecast.so)

declared=$(grep -oE '\<tilecast_[a-z_]+\(' include/tilecast/tilecast.h | tr -d '(' | sort -u)
exported=$(nm -D --defined-only "$library" | sed -n 's/.* T \(.*\)@@.*/\1/p' | sort)
[ "$declared" = "$exported" ] || { echo "$exported"; fail "exported and declared functions differ"; }
readelf -d "$library" | grep -E 'NEEDED.*lib(cuda|cudart|nvrtc)\.' && fail "needs CUDA to start"

cmake -S examples -B "$folder/examples" -G "$(cached CMAKE_GENERATOR)" \
  -DCMAKE_MAKE_PROGRAM="$(cached CMAKE_MAKE_PROGRAM)" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$(cached CMAKE_CXX_COMPILER)" >"$folder/configure.log" 2>&1 &&
  cmake --build "$folder/examples" >"$folder/build.log" 2>&1 ||
  { cat "$folder/configure.log" "$folder/build.log"; fail "the examples do not build"; }

cd "$folder" || exit 1
unset TILECAST_CONFIG_DIR
export TILECAST_CACHE_DIR=$folder/cache
for example in forecast matmul attention; do
  [ -x "examples/$example" ] || { echo "$example: not built"; continue; }
  "examples/$example" >"$example.txt" || { cat "$example.txt"; fail "$example"; }
  cat "$example.txt"
  [ "$(grep -c ' us.*:tile=' "$example.txt")" = 3 ] || fail "$example shows no three forecasts"
done
mv prefix elsewhere
LD_LIBRARY_PATH=$(dirname "$folder/elsewhere/${library#"$prefix"/}") examples/forecast >moved.txt ||
  fail "the library does not run where it is moved to"
cmp -s forecast.txt moved.txt || fail "another forecast where the library is moved to"

command -v pkg-config >/dev/null || { echo "no pkg-config"; exit 0; }
PKG_CONFIG_PATH=$(dirname "$(find elsewhere -name tilecast.pc)")
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
cc -std=c11 -Wall -Wextra -Werror -pedantic "$OLDPWD/examples/forecast.c" -o by_pkg_config \
  $(pkg-config --cflags --libs tilecast) || fail "pkg-config's flags do not build"
LD_LIBRARY_PATH=$(pkg-config --variable=libdir tilecast) ./by_pkg_config | cmp -s - forecast.txt ||
  fail "another forecast by pkg-config"
