# sources_alone.sh BUILD all|COUNT [clang]: compiles each source alone (-fsyntax-only), and each header that
# its own source does not include first, without the CUDA toolkit and, if it is installed, with it. Sources
# that TILECAST_FAST_BUILD joins may otherwise use what their neighbours include. CUDA's headers are found
# only if the command names the toolkit. COUNT: the sources that changed last and as many others, different
# ones every day. all: every source, on all processors. clang: with clang instead of BUILD's compiler.
set -u -o pipefail
build=$1 count=$2
cached() { sed -n "s|^$1:[A-Z]*=|-D$1=|p" "$build/CMakeCache.txt"; }
if [ "${3:-}" = clang ]; then
  . tests/scripts/clang_tool.sh
  compiler=$(clang_tool clang++) || exit
  warnings=-DTILECAST_WERROR=ON
else
  compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
  warnings=$(cached TILECAST_WERROR)
fi
# The default toolkit of a plain `cmake -S . -B build`, if it is installed.
generator=$(cached CMAKE_GENERATOR)
command -v make >/dev/null && generator='-DCMAKE_GENERATOR=Unix Makefiles'
. tests/scripts/hide_cuda.sh
folder=$build/alone_${compiler##*/}
mkdir -p "$folder"
hide_cuda "$folder/no_cuda"

# list MODE OPTION: writes one line "source<TAB>command" for each file to compile.
list() {
  # shellcheck disable=SC2046
  cmake $2 -S . -B "$folder/build" "-DTILECAST_WITH_CUDA=$1" -DTILECAST_FAST_BUILD=OFF \
    -DCMAKE_CXX_COMPILER_LAUNCHER= -DCMAKE_BUILD_TYPE=Debug "$warnings" -G "${generator#*=}" \
    -DCMAKE_CXX_COMPILER="$compiler" $(cached TILECAST_FETCH_DEPS) \
    "$(cached CMAKE_CXX_FLAGS)" >"$folder/configure.log" 2>&1 ||
    { cat "$folder/configure.log" >&2; return 1; }
  sed -n -e '/^ *"command": /{s///;h}' -e '/^ *"file": "\(.*\)".*/{s//\1/;G;s/\n"/\t/;s/",$//;p}' \
    "$folder/build/compile_commands.json" |
    sed -e 's/\\\(["\\]\)/\1/g' -e 's/ -o [^ ]*//' | sort -u
}
list OFF --fresh >"$folder/without" || exit 1
list AUTO '' | comm -13 "$folder/without" - >"$folder/with" || exit 1

include=$(grep -oE -e '-isystem [^ ]*' "$folder/with" | sort -u |
  while read -r option path; do [ ! -e "$path/nvrtc.h" ] || echo "$option $path"; done)
hidden="-I$PWD/$folder/no_cuda"
[ "${folder#/}" = "$folder" ] || hidden="-I$folder/no_cuda"
{
  sed "s|\$| $hidden|" "$folder/without"
  [ -z "$include" ] || grep -F -e "$include" "$folder/with"
  [ -z "$include" ] || grep -vF -e "$include" "$folder/with" | sed "s|\$| $hidden|"
  [ -n "$include" ] || cat "$folder/with"
} | sort >"$folder/all"
all=$(wc -l <"$folder/all")
[ "$all" -gt 400 ] || { echo "only $all sources"; exit 1; }

jobs=1
if [ "$count" = all ]; then
  jobs=$(nproc)
  cp "$folder/all" "$folder/chosen"
else
  turns=$((all / count))
  {
    cut -f 1 "$folder/all" | grep -vF "$folder/" | sort -u | xargs -d '\n' ls -dt 2>/dev/null | head -n "$count" |
      grep -F -f - "$folder/all"
    sed -n "$(($(date +%s) / 86400 % turns + 1))~${turns}p" "$folder/all"
  } | sort -u >"$folder/chosen"
fi
echo "$(wc -l <"$folder/chosen") of $all"

# compile LINE
compile() {
  source=${1%%$'\t'*}
  [ -e "$source" ] || return 0  # made by the build
  (cd "$folder/build" && eval "${1#*$'\t'} -fsyntax-only") && return 0
  echo "FAILED: $source"
  return 1
}
export -f compile
export folder
# The check itself: an undeclared name fails, and so does a CUDA header without the toolkit.
for text in 'int planted() { return undeclared; }' '#include <cuda_runtime_api.h>'; do
  echo "$text" >"$folder/planted.cpp"
  if compile "$folder/planted.cpp"$'\t'"$compiler $folder/planted.cpp $hidden" >/dev/null 2>&1; then
    echo "not refused: $text"
    exit 1
  fi
done
tr '\n' '\0' <"$folder/chosen" |
  xargs -0 -P "$jobs" -I '{}' bash -c 'compile "$1"' - '{}'
