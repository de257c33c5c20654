# headers_under_nvcc.sh NVCC DEFINITIONS HEADER...: each header compiles alone for host and device.
set -u
nvcc=$1 definitions=$2
shift 2
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

compile() { # shellcheck disable=SC2086
  "$nvcc" -std=c++20 -arch=sm_90a -I. $definitions -c -o "$folder/alone.o" "$folder/alone.cu" 2>&1
}

failed=0
for header in "$@"; do
  printf '#include "%s"\n' "$header" >"$folder/alone.cu"
  if ! output=$(compile); then
    printf '%s:\n%s\n' "$header" "$output"
    failed=1
  fi
done
printf 'inline std::string planted();\n' >"$folder/alone.cu"
if compile >/dev/null; then
  echo "a planted error was not noticed"
  failed=1
fi
exit $failed
