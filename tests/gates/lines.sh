#!/bin/sh
# Production lines of code by folder: tracked sources except tests, blank lines and comment-only lines.
# Usage, from the root: tests/gates/lines.sh
set -eu
count() { # PATHSPEC... : lines of these files
  git ls-files -- "$@" |
    grep -E '\.(h|cpp|cu|cuh|py|js|css)$' |
    if [ "$tests" = yes ]; then cat; else grep -vE '(^|/)tests/|_test\.(cpp|py|sh)$|/benchmarks/|(^|/)test_[a-z0-9_]*\.py$|_testing\.h$|/[cg]pu_test(_bench)?\.(h|cpp)$|/example_[a-z0-9]*\.h$'; fi |
    xargs -r cat | grep -vcE '^[[:space:]]*(//.*|/\*.*|\*.*|#([[:space:]!].*)?)?$' || true
}
tests=no
for folder in model/* model/gemm/* kernels/* validate/* cli library include python reports; do
  [ -d "$folder" ] && printf '%-24s %6d\n' "$folder" "$(count "$folder")"
done | awk '$2 > 0'
production=$(count model kernels validate cli library include python reports)
tests=yes
all=$(count .)
printf '%-24s %6d\n%-24s %6d\n' production "$production" tests $((all - production))
