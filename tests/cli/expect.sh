# Sourced by the tests of the command line: . tests/cli/expect.sh
# TILECAST is the program; TILECAST_GPU is tilecast-gpu, or empty if it was not built.
set -u
failures=0
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

problem() {
  printf 'FAILED: %s\n' "$*"
  failures=$((failures + 1))
}

# expect_error CODE PATTERN COMMAND...: the exit code, nothing on standard output, and on standard
# error the one line `tilecast: ...` with the pattern (extended regular expression) in it.
expect_error() {
  local code=$1 pattern=$2 got
  shift 2
  "$@" >"$folder/out" 2>"$folder/err" </dev/null
  got=$?
  [ "$got" = "$code" ] || problem "$*: exit code $got, expected $code: $(cat "$folder/err")"
  [ ! -s "$folder/out" ] || problem "$*: wrote to standard output: $(head -c 200 "$folder/out")"
  one_error_line "$pattern" "$*"
}

# one_error_line PATTERN WHAT: checks the output of the last command
one_error_line() {
  [ "$(wc -l <"$folder/err")" = 1 ] || problem "$2: not one line: $(cat "$folder/err")"
  grep -q '^tilecast: ' "$folder/err" || problem "$2: no 'tilecast:': $(cat "$folder/err")"
  grep -Eq -- "$1" "$folder/err" || problem "$2: '$1' is not in: $(cat "$folder/err")"
}

# expect_lost CODE PATTERN COMMAND...: the same with standard output on a full disk
expect_lost() {
  local code=$1 pattern=$2 got
  shift 2
  "$@" >/dev/full 2>"$folder/err" </dev/null
  got=$?
  [ "$got" = "$code" ] || problem "$* >/dev/full: exit code $got, expected $code"
  one_error_line "$pattern" "$* >/dev/full"
}

# expect_done PATTERN COMMAND...: exit code 0, nothing on standard error, the pattern in the output
expect_done() {
  local pattern=$1 got
  shift
  "$@" >"$folder/out" 2>"$folder/err" </dev/null
  got=$?
  [ "$got" = 0 ] || problem "$*: exit code $got: $(cat "$folder/err")"
  [ ! -s "$folder/err" ] || problem "$*: wrote to standard error: $(cat "$folder/err")"
  grep -Eq -- "$pattern" "$folder/out" || problem "$*: '$pattern' is not in: $(cat "$folder/out")"
}

# finish: the last line of a test.
finish() { exit $((failures > 0)); }
