# Tests that every source is formatted. The version is fixed, since versions of clang-format differ
# in details.
set -u
program=
for name in clang-format-16 clang-format; do
  if command -v "$name" >/dev/null && "$name" --version | grep -q 'version 16\.'; then
    program=$name
    break
  fi
done
[ -n "$program" ] || { echo "clang-format 16 is not installed"; exit 77; }

printf 'int  planted ;\n' | "$program" --dry-run -Werror --assume-filename=planted.cpp 2>/dev/null &&
  { echo "a planted violation was not noticed"; exit 1; }
find model kernels validate reports cli include library examples tests \
  \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' -o -name '*.hpp' -o -name '*.c' \) -print0 |
  xargs -0 "$program" --dry-run -Werror
