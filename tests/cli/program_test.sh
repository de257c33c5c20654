# What every command shares: unknown words, help, and output that cannot be written.
. tests/cli/expect.sh

expect_error 2 'a command is needed' "$TILECAST"
expect_error 2 "unknown command 'docter'.*did you mean doctor" "$TILECAST" docter
expect_error 2 "unknown command 'qqqqqqqqqq'" "$TILECAST" qqqqqqqqqq
expect_error 2 "unknown option '--bogus'" "$TILECAST" --bogus
expect_error 2 "unknown option '--fromat'.*did you mean --format" "$TILECAST" doctor --fromat json
expect_error 2 "unexpected argument 'extra'" "$TILECAST" doctor extra
expect_error 2 'xml' "$TILECAST" doctor --format xml
expect_error 2 'format' "$TILECAST" doctor --format

expect_done 'doctor' "$TILECAST" --help
expect_done '--format' "$TILECAST" doctor --help
expect_done '^tilecast [0-9]+\.[0-9]+\.[0-9]+$' "$TILECAST" --version

# What tilecast hands on it lists as the program that does it does.
commands() { "$1" --help | sed -n '/^Subcommands:/,$s/^  \([a-z]\)/\1/p'; }
commands "$(dirname "$TILECAST")/tilecast-data" >"$folder/data"
[ "$(wc -l <"$folder/data")" -ge 9 ] || problem "tilecast-data lists: $(cat "$folder/data")"
commands "$TILECAST" >"$folder/all"
[ -z "$(grep -vxF -f "$folder/all" "$folder/data")" ] ||
  problem "not as in tilecast --help: $(grep -vxF -f "$folder/all" "$folder/data")"
expect_error 2 "unknown option '--fromat'.*did you mean --format.*see tilecast validate --help" \
  "$TILECAST" validate --data none --fromat json
mkdir "$folder/alone" && cp "$TILECAST" "$folder/alone/tilecast"
expect_error 6 'alone/tilecast-data: cannot start: No such file' "$folder/alone/tilecast" validate

expect_lost 6 'standard output: cannot write' "$TILECAST" doctor --format json
expect_lost 6 'standard output: cannot write' "$TILECAST" --help
(ulimit -f 0 && "$TILECAST" --help >"$folder/out" 2>/dev/null)
[ $? = 6 ] || problem "a file at its size limit: not exit code 6"
expect_error 2 "unknown command 'a; b[?][[]31m'" "$TILECAST" "$(printf 'a\nb\033[31m')"
expect_error 2 ' \.\.\. ' "$TILECAST" predict "$(head -c 100000 /dev/zero | tr '\0' 9)"
[ "$(wc -c <"$folder/err")" -lt 3000 ] || problem 'a long argument: a long error line'
"$TILECAST" docter 2>&-
[ $? = 2 ] || problem "closed standard error: not exit code 2"

# Standard output closed, and a reader that goes away before reading.
"$TILECAST" doctor >&- 2>"$folder/err"
[ $? = 6 ] || problem "closed standard output: not exit code 6"
one_error_line 'standard output' 'closed standard output'
{
  "$TILECAST" doctor 2>"$folder/err"
  echo $? >"$folder/code"
} | :
if [ -s "$folder/err" ] || [ "$(cat "$folder/code")" != 0 ]; then # it may have written in time
  [ "$(cat "$folder/code")" = 6 ] || problem "broken pipe: exit code $(cat "$folder/code")"
  one_error_line 'standard output' 'broken pipe'
fi
finish
