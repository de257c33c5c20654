# The commands that a report names can be typed as they stand, and give its numbers.
. tests/cli/expect.sh

rows=validate/data/h200_sxm/laboratory/sustained.csv.gz
out=$folder/report
"$TILECAST" report --data $rows --out "$out" --no-figures >/dev/null 2>"$folder/err" ||
  problem "report: $(cat "$folder/err")"

# Lines of report.md that are a command alone. Those that need a card are not run.
grep -E '^`[^`]*`$' "$out/report.md" | tr -d '`' | sort -u >"$folder/commands"
[ "$(wc -l <"$folder/commands")" -ge 5 ] || problem "few commands: $(cat "$folder/commands")"
grep -Eq 'SHAPE|TEXT|REGIME' "$folder/commands" && problem 'a command is a pattern'
while read -r command; do
  case $command in
    './tilecast '*) ;;
    *) problem "no command of ours: $command" && continue ;;
  esac
  case $command in
    *' measure '*) continue ;;
  esac
  (cd "$PWD" && eval "\"\$TILECAST\" ${command#./tilecast }") >"$folder/out" 2>"$folder/err" </dev/null ||
    problem "$command: $(cat "$folder/err")"
done <"$folder/commands"

# about_same A B: to a thousandth
about_same() { awk -v a="$1" -v b="$2" 'BEGIN {exit !(a > 0 && (a / b - 1)^2 < 1e-6)}'; }

# The prediction of a point, again.
command=$(grep ' predict ' "$folder/commands" | grep -v json | head -1)
config=$(sed 's/.*--config \([^ ]*\).*/\1/' <<<"$command")
shape=$(sed 's/.* predict \([^ ]*\).*/\1/' <<<"$command")
shown=$(grep -F "$config" "$out/data/points.csv" | grep "^$shape" | head -1 | cut -d, -f10)
again=$(eval "\"\$TILECAST\" ${command#./tilecast } --format json" | sed -n 's/.*"time_us": \([0-9.]*\),.*/\1/p')
about_same "$shown" "$again" || problem "predicted_us is $shown in the report and $again by: $command"

# The measurement of a point is that of a row.
measured=$(grep -F "$config" "$out/data/points.csv" | grep "^$shape" | head -1 | cut -d, -f7)
zcat $rows | grep -F "$config" | grep -qF "${measured%??}" || problem "no row has $measured us"

# The headline's mean error of cycles, by the command that it names.
command=$(grep ' validate ' "$folder/commands" | head -1)
shown=$(sed -n 's/^cycles,[0-9]*,\([0-9.]*\),.*/\1/p' "$out/data/error.csv")
again=$(eval "\"\$TILECAST\" ${command#./tilecast }" | sed -n 's/^  cycles  *[0-9]*  *\([0-9.]*\) %.*/\1/p')
awk -v a="$shown" -v b="$again" 'BEGIN {exit !(a > 0 && (a - b)^2 < 0.056^2)}' ||  # 3.648 is 3.65, and 3.6
  problem "mean error of cycles: $shown, and $again by: $command"
finish
