# headers_under_nvcc.sh NVCC HEADER...: tests that the headers compile for host and device with
# nvcc, together; g++ and NVRTC compile each header by itself, while nvcc takes seconds per run.
set -u
nvcc=$1
shift
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

compile() {
  "$nvcc" -std=c++20 -arch=sm_90a -I. -c -o "$folder/all.o" "$folder/all.cu" 2>&1
}

printf '#include "%s"\n' "$@" >"$folder/all.cu"
compile || exit 1
printf 'inline undeclared planted();\n' >>"$folder/all.cu"
if compile >/dev/null; then
  echo "a planted error was not noticed"
  exit 1
fi
