# clang_tool NAME: prints the command of clang++ or clang-tidy, 16 or later, or exits with 77. CLANGXX is clang++.
clang_tool() {
  local name found
  [ "$1" = clang++ ] && [ -n "${CLANGXX:-}" ] && echo "$CLANGXX" && return
  for name in "$1" "$1"-{16..30}; do
    found=$("$name" --version 2>/dev/null | sed -n 's/.*version \([0-9]*\).*/\1/p')
    [ "${found:-0}" -ge 16 ] && echo "$name" && return
  done
  echo "no $1 16 or later: skipped" >&2
  exit 77
}
