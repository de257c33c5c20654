# Tests behaviour of all commands: unknown words, help, and unwritable output.
. tests/cli/expect.sh

expect_error 2 'expected a command' "$TILECAST"
expect_error 2 "unknown command 'docter'.*did you mean doctor" "$TILECAST" docter
expect_error 2 "unknown command 'qqqqqqqqqq'" "$TILECAST" qqqqqqqqqq
expect_error 2 "layer is a command of the Python package.*python -m tilecast layer" "$TILECAST" layer --model llama-3-8b
expect_error 2 "moe-config is a command of the Python package" "$TILECAST" moe-config
expect_error 2 "unknown option '--bogus'" "$TILECAST" --bogus
expect_error 2 "unknown option '--fromat'.*did you mean --format" "$TILECAST" doctor --fromat json
"$TILECAST" explain 64x64x64 --top 3 2>"$folder/err"
grep -q 'did you mean' "$folder/err" && problem "--top is no --op: $(cat "$folder/err")"
expect_error 2 "expected a command: expand, plan, status, merge, slurm; see tilecast campaign --help" "$TILECAST" campaign
expect_error 2 "unknown command 'mrege'.*did you mean merge" "$TILECAST" campaign mrege
expect_error 2 "unknown option '--fromat'.*did you mean --format.*see tilecast campaign status --help" \
  "$TILECAST" campaign status plan.csv --fromat json
expect_error 2 "unexpected argument 'extra'" "$TILECAST" doctor extra
expect_error 2 "--format: expected one of table, json, got 'xml'" "$TILECAST" doctor --format xml
expect_error 2 '--format: 1 required .* missing' "$TILECAST" doctor --format
# Numbers: messages name the option, the expected range and the value.
expect_error 2 "--rows: expected an integer from 1 to 1048576, got '2.5'" \
  "$TILECAST" predict 64x64x64 --rows 2.5

# Words are accepted in any letter case, and so are other projects' names.
"$TILECAST" predict 256x256x256 --top 08 --layout nt --regime sustained --method analytic \
  --format csv --inputs zeros --epilogue bias_n+gelu --schedule ping_pong >"$folder/small"
"$TILECAST" predict 256X256X256 --top 8 --layout NT --regime Sustained --method Analytic \
  --format CSV --inputs ZEROS --epilogue Bias_N+GELU --schedule PP --gpu H200 --dtype half \
  >"$folder/large" 2>"$folder/err"
cmp "$folder/small" "$folder/large" || problem "letter case: $(cat "$folder/err")"
"$TILECAST" predict 256x256x256 --config 'WS 128X128X64' --all --rows 1 >"$folder/large" 2>"$folder/err"
grep -Eq 'ws1? 128x128x64' "$folder/large" || problem "letter case: $(cat "$folder/err")"

# BLAS writes layouts in upper case, and its NN is tt here.
expect_error 2 "layout 'NN': .*which BLAS calls NN" "$TILECAST" predict 256x256x256 --layout NN

expect_done 'doctor' "$TILECAST" --help
for help in 'predict --help' 'help predict'; do
  # shellcheck disable=SC2086  # words
  expect_done '^  --config, --tile CONFIG' "$TILECAST" $help
  [ "$(awk 'length > 80' "$folder/out" | wc -l)" = 0 ] || problem "$help: over 80 columns"
done
"$TILECAST" --help | grep -q '^  campaign' && problem '--help lists what maintains a data set'
expect_done '--format' "$TILECAST" doctor --help
expect_done '^tilecast [0-9]+\.[0-9]+\.[0-9]+$' "$TILECAST" --version

# Commands that tilecast passes on are listed as by the program that runs them.
commands() { "$1" --help-all | sed -n 's/^  \([a-z]\)/\1/p'; }
commands "$(dirname "$TILECAST")/tilecast-data" >"$folder/data"
[ "$(wc -l <"$folder/data")" -ge 5 ] || problem "tilecast-data lists: $(cat "$folder/data")"
commands "$TILECAST" >"$folder/all"
# The launcher prints the same list before the program is built.
sed -n 's/^  \([a-z]\)/\1/p' cli/help.txt | diff - "$folder/all" || problem 'not as in cli/help.txt'
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
expect_error 2 "unknown command 'a; b.x1b[[]31m'" "$TILECAST" "$(printf 'a\nb\033[31m')"
expect_error 2 ' \.\.\. ' "$TILECAST" predict "$(head -c 100000 /dev/zero | tr '\0' 9)"
[ "$(wc -c <"$folder/err")" -lt 3000 ] || problem 'a long argument: a long error line'
"$TILECAST" docter 2>&-
[ $? = 2 ] || problem "closed standard error: not exit code 2"

# Every option rejects an empty value, such as from an unset variable of a script.
expect_error 2 '--gpu: .*empty' "$TILECAST" predict 64x64x64 --gpu ''
expect_error 2 '--check: .*empty' "$TILECAST" validate --data x.csv --check ''

# Internal commands are not listed.
expect_error 2 'unknown command' "$TILECAST" prob
grep -q probe "$folder/err" && problem "probe is offered: $(cat "$folder/err")"

# Bytes of a file are escaped so that terminals and logs can show them, without loss.
printf 'name: "a\0b"\nproduct: x\n' >"$folder/nul.yaml"
expect_error 2 'nul.yaml:1: .*NUL byte .*x00' "$TILECAST" predict 64x64x64 --gpu "$folder/nul.yaml"
printf 'gpu,date\nh\0,x\n' >"$folder/nul.csv"
expect_error 2 'nul.csv:2: .*NUL byte .*x00' "$TILECAST" validate --data "$folder/nul.csv"
printf 'shapes: ["\377\376"]\nconfigs: all\n' >"$folder/latin.yaml"
expect_error 2 'latin.yaml:1: .*xff.xfe' "$TILECAST" campaign expand "$folder/latin.yaml"
expect_error 2 'xff.xfe' "$TILECAST" predict 64x64x64 --config "$(printf 'p\377\376')"

# Closed standard output, or a reader that closes the pipe: no message, and the shell's exit code.
"$TILECAST" doctor >&- 2>"$folder/err"
[ $? = 6 ] || problem "closed standard output: not exit code 6"
one_error_line 'standard output' 'closed standard output'
for command in '--help' 'predict 512x512x512 --method analytic --format csv --top 1000000'; do
  # shellcheck disable=SC2086  # words
  { "$TILECAST" $command 2>"$folder/err"; echo $? >"$folder/code"; } | head -1 >/dev/null
  [ -s "$folder/err" ] && problem "$command | head -1: $(cat "$folder/err")"
  case $(cat "$folder/code") in
    0 | 141) ;;  # the program may have written in time
    *) problem "$command | head -1: exit code $(cat "$folder/code")" ;;
  esac
done
finish
