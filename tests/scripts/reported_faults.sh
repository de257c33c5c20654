#!/usr/bin/env bash
# reported_faults.sh BUILD: runs the tests in docs/dev/reported-faults.md and prints for each fault whether
# it reproduces. A test that was not built or is skipped counts as not run. Exit code 1 if a test fails
# or does not exist.
set -u
cd "$(dirname "$0")/../.." || exit 1
build=$(realpath "$1")
declare -A verdicts
failed=0

# run TEST...: exit code 0 passed, 77 not run, other failed
run() {
  local kind=$1 name=$2 program
  case $kind in
    ctest)
      ctest --test-dir "$build" -R "^$name\$" --no-tests=error >"$log" 2>&1 || return 1
      ! grep -q 'Skipped' "$log" || return 77 ;;
    pytest)
      bash python/tests/run.sh "$build" -k "$name" >"$log" 2>&1
      case $? in 0) ! grep -Eq '^[0-9]+ skipped' "$log" || return 77 ;; 77) return 77 ;; *) return 1 ;; esac ;;
    *)
      program=$(find "$build" -maxdepth 3 -name "$kind" -type f -perm -u+x | head -n 1)
      [ -n "$program" ] || return 77
      "$program" "$(sed 's/[],[]/\\&/g' <<<"$name")" >"$log" 2>&1 || return
      ! grep -q '^No test cases matched' "$log" ;;
  esac
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
while IFS='|' read -r _ id fault tests _; do
  id=$(xargs <<<"$id")
  verdict='does not reproduce'
  mapfile -t spans < <(grep -oE '`(ctest|pytest|tilecast_[a-z_]*_test) [^`]*`' <<<"$tests" | tr -d '`')
  [ "${#spans[@]}" -gt 0 ] || verdict="not tested (${tests:1:-1})"
  for span in "${spans[@]}"; do
    if [ -z "${verdicts[$span]-}" ]; then
      run "${span%% *}" "$(sed 's/^"\(.*\)"$/\1/' <<<"${span#* }")"
      verdicts[$span]=$?
      [ "${verdicts[$span]}" = 0 ] || [ "${verdicts[$span]}" = 77 ] || tail -n 20 "$log"
    fi
    case ${verdicts[$span]} in
      0) ;;
      77) [ "$verdict" = REPRODUCES ] || verdict="not run: $span" ;;
      *) verdict=REPRODUCES failed=1 ;;
    esac
  done
  printf '%-8s %s:%s\n' "$id" "$verdict" "${fault% }"
done < <(grep -E '^\| [GFML][0-9]' docs/dev/reported-faults.md)
exit $failed
