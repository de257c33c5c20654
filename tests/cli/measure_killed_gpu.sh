# Tests that a measurement that is killed at random times and resumed ends with the points of an
# uninterrupted one and no truncated line, and that no two processes measure at once. KILLS=20 by
# default; SEED seeds the random times.
. tests/cli/expect.sh
[ -n "${TILECAST_GPU:-}" ] || { echo "tilecast-gpu was not built"; exit 77; }
"$TILECAST_GPU" probe | grep -q '"device":' || { echo "no device"; exit 77; }

kills=${KILLS:-20}
RANDOM=${SEED:-1}
cat >"$folder/suite.yaml" <<'END'
shapes: [512x512x512, 1024x1024x1024, 1024x512x2048, 2048x2048x2048]
schedules: [pipelined, warp_specialized, ping_pong]
configs: [{best: 5}]
cublaslt: true
END
measure() { "$TILECAST_GPU" measure --suite "$folder/suite.yaml" "$@"; }
# The columns that identify the point of a row: op to config and regime to l2_state.
points() {
  grep -oE 'gemm,[0-9]+,[0-9]+,[0-9]+,[a-z0-9]+,[a-z]+,("[^"]*"|[^,]*),[a-z]+,[a-z]+,[a-z]+,' "$1" |
    sort
}

measure --out "$folder/straight.csv" >"$folder/out" 2>&1 || problem "$(tail -n 3 "$folder/out")"

# A process takes about half a second until its first row: times from 0.2 to 1.4 s fall before it,
# between rows and within rows, and the remaining rows last for all kills.
killed=0 ended=0
while [ "$killed" -lt "$kills" ] && [ "$ended" = 0 ]; do
  measure --out "$folder/killed.csv" --resume >"$folder/out" 2>&1 &
  process=$!
  moment=$((200 + RANDOM % 1200))
  [ "$killed" != 0 ] || moment=1500  # long enough to hold the lock
  sleep "$(printf '%d.%03d' $((moment / 1000)) $((moment % 1000)))"
  if [ "$killed" = 0 ]; then  # the lock: one line names the process that holds the GPU
    "$TILECAST_GPU" measure 512x512x512 --config cublaslt:top1 --out "$folder/other.csv" \
      >"$folder/other" 2>&1 && problem "two processes measured at once"
    grep -q 'is in use by process .*killed.csv' "$folder/other" ||
      problem "the lock says: $(cat "$folder/other")"
  fi
  if kill -9 "$process" 2>/dev/null; then killed=$((killed + 1)); else ended=1; fi
  wait "$process" 2>/dev/null
  [ "$killed" != "$kills" ] || echo "rows after $killed kills: $(wc -l <"$folder/killed.csv")"
done
[ "$ended" = 0 ] || echo "the run was over after $killed kills"
measure --out "$folder/killed.csv" --resume >"$folder/out" 2>&1 || problem "$(tail -n 3 "$folder/out")"
grep -q 'nothing to add' <(measure --out "$folder/killed.csv" --resume 2>&1) ||
  problem "a finished run had more to add"

points "$folder/straight.csv" >"$folder/a"
points "$folder/killed.csv" >"$folder/b"
[ "$(wc -l <"$folder/b")" = $(($(wc -l <"$folder/killed.csv") - 1)) ] || problem "a line is not a row"
diff "$folder/a" "$folder/b" >"$folder/diff" || problem "the points differ: $(head "$folder/diff")"
echo "killed $killed times of $kills, $(wc -l <"$folder/b") points"
finish
