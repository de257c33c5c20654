# A plan shared out to processes: whatever is killed, signalled, run twice or run short of disk, the
# merged rows are those of one process, none lost and none doubled. The measuring program is a fake
# (tests/fakes/measuring_program.cpp) that has no GPU; everything else is the real one.
# KILLS=30 by default; SEED names the moments.
. tests/cli/expect.sh
kills=${KILLS:-30}
RANDOM=${SEED:-1}

# tilecast looks for tilecast-data and tilecast-gpu beside itself.
cp "$TILECAST" "$(dirname "$TILECAST")/tilecast-data" "$folder" && cp "$TILECAST_FAKE_GPU" "$folder/tilecast-gpu" || exit 1
tilecast=$folder/tilecast
export TILECAST_CONFIG_DIR=$PWD/configs FAKE_GPUS=4 FAKE_HOST=$$
cat >"$folder/suite.yaml" <<'END'
shapes: [512x512x512, 1024x1024x1024, 1024x512x2048, 2048x2048x2048:4096:512]
schedules: [pipelined, warp_specialized]
configs: [{best: 16}]
cublaslt: true
END

# The columns that make a point, op to config and regime to l2_state, of every row.
points() {
  grep -oE 'gemm,[0-9]+,[0-9]+,[0-9]+,[a-z0-9]+,[a-z]+,("[^"]*"|[^,]*),[a-z]+,[a-z]+,[a-z]+,' "$1" |
    sort
}

# --- the plan: deterministic, hashed, refused where it was changed
"$tilecast" plan "$folder/suite.yaml" --out "$folder/plan.csv" 2>"$folder/err" || problem "$(cat "$folder/err")"
grep -q 'content [0-9a-f]\{16\}' "$folder/plan.csv" || problem "a plan without its hash"
"$tilecast" plan "$folder/suite.yaml" --out "$folder/again.csv" 2>/dev/null
cmp -s "$folder/plan.csv" "$folder/again.csv" || problem "two plans of one suite differ"
sed 's/,best$/,named/' "$folder/plan.csv" >"$folder/changed.csv"
expect_error 2 'changed after' "$tilecast" status "$folder/changed.csv"
all=$(($(wc -l <"$folder/plan.csv") - 2))
[ "$all" -gt 150 ] || problem "$all points: too few for this test"
expect_error 2 'I/N' "$tilecast" measure --plan "$folder/plan.csv" --shard 5/4
expect_error 2 '' "$tilecast" measure --plan "$folder/plan.csv" --suite "$folder/suite.yaml"

# --- one process, as what all others are held against
FAKE_POINT_MS=0 "$tilecast" measure --plan "$folder/plan.csv" --out "$folder/straight.csv" \
  >"$folder/out" 2>&1 || problem "$(tail -n 3 "$folder/out")"
[ "$(wc -l <"$folder/straight.csv")" = $((all + 1)) ] || problem "the plan in one: not every point"

# check_merged PLAN WHAT: merges the shards beside the plan and compares with one process
check_merged() {
  "$tilecast" merge --plan "$1" --out "$folder/merged.csv" >"$folder/out" 2>&1 ||
    problem "$2: merge: $(tail -n 3 "$folder/out")"
  points "$folder/straight.csv" >"$folder/a"
  points "$folder/merged.csv" >"$folder/b"
  [ "$(wc -l <"$folder/a")" = "$all" ] || problem "$2: a line is no row"
  diff "$folder/a" "$folder/b" >"$folder/diff" || problem "$2: points differ: $(head -n 4 "$folder/diff")"
  [ "$(wc -l <"$folder/merged.csv")" = $((all + 1)) ] || problem "$2: a row is lost or doubled"
  gzip -t "$folder/merged.samples.csv.gz" || problem "$2: the raw samples are damaged"
  rm -f "$folder"/merged.*
}
# wait_for_rows FILE...: until each has two, so that its process is at work
wait_for_rows() {
  local file
  for file in "$@"; do
    for _ in $(seq 600); do
      [ -f "$file" ] && [ "$(wc -l <"$file")" -gt 2 ] && continue 2
      sleep 0.1
    done
    problem "$file: no rows after a minute"
  done
}
# shards_dir NAME: a folder of its own with the plan
shards_dir() { mkdir "$folder/$1" && cp "$folder/plan.csv" "$folder/$1/plan.csv"; }

# --- a loop, and GNU parallel where there is one, by the same arguments
export FAKE_POINT_MS=1 tilecast folder
shards_dir loop
for i in 1 2 3 4; do
  "$tilecast" measure --plan "$folder/loop/plan.csv" --shard $i/4 2>"$folder/err" ||
    problem "$(tail -n 1 "$folder/err")"
done
check_merged "$folder/loop/plan.csv" loop
if command -v parallel >/dev/null; then
  shards_dir parallel
  parallel --will-cite -j 2 CUDA_VISIBLE_DEVICES='{%}' "$tilecast" measure \
    --plan "$folder/parallel/plan.csv" --shard '{}/7' --resume ::: 1 2 3 4 5 6 7 2>"$folder/err" ||
    problem "parallel: $(tail -n 1 "$folder/err")"
  check_merged "$folder/parallel/plan.csv" parallel
fi

# --- kill -9 at random moments of random shards, each resumed until it is done
export FAKE_POINT_MS=40
shards_dir killed
measure_until_done() {  # SHARD
  local code=1
  until [ $code = 0 ]; do
    CUDA_VISIBLE_DEVICES=$1 "$tilecast" measure --plan "$folder/killed/plan.csv" \
      --shard "$1/4" --resume 2>"$folder/killed/$1.log" &
    echo $! >"$folder/killed/$1.pid"
    wait $!
    code=$?
  done
  rm "$folder/killed/$1.pid"
}
for i in 1 2 3 4; do measure_until_done $i 2>/dev/null & done
killed=0
while [ "$killed" -lt "$kills" ]; do
  sleep "0.0$((RANDOM % 9 + 1))"
  running=("$folder"/killed/*.pid)
  [ -e "${running[0]}" ] || break
  victim=$(cat "${running[$((RANDOM % ${#running[@]}))]}" 2>/dev/null) || continue
  # the process, or the child that measures for it
  [ $((RANDOM % 2)) = 0 ] || victim=$(pgrep -P "$victim" | head -n 1)
  [ -n "$victim" ] && kill -9 "$victim" 2>/dev/null && killed=$((killed + 1))
done
wait
echo "killed $killed times of $kills"
# A machine that is busy otherwise kills late.
[ "$killed" -ge $((kills / 3)) ] || problem "the run was over after $killed kills"
check_merged "$folder/killed/plan.csv" kills

# --- a signal ends the point in hand, writes it and exits 5; what is left is exact
export FAKE_POINT_MS=50
for signal in TERM USR1; do
  shards_dir $signal
  "$tilecast" measure --plan "$folder/$signal/plan.csv" --shard 1/2 2>"$folder/err" &
  process=$!
  wait_for_rows "$folder/$signal/plan.1-of-2.csv"
  "$tilecast" status "$folder/$signal/plan.csv" >"$folder/out"
  grep -q '1 shards running' "$folder/out" || problem "status: $(cat "$folder/out")"
  kill -$signal $process
  wait $process
  code=$?
  [ $code = 5 ] || problem "SIG$signal: exit code $code: $(tail -n 1 "$folder/err")"
  grep -q "stopped by SIG$signal with" "$folder/err" || problem "SIG$signal: $(tail -n 1 "$folder/err")"
  rows=$(($(wc -l <"$folder/$signal/plan.1-of-2.csv") - 1))
  [ $rows -gt 0 ] && [ $rows -lt $((all / 2)) ] || problem "SIG$signal: $rows rows of a shard"
  # What is missing, by merge and by status
  "$tilecast" merge --plan "$folder/$signal/plan.csv" --out "$folder/merged.csv" 2>"$folder/err"
  [ $? = 5 ] && grep -q "$((all - rows)) points are missing" "$folder/err" ||
    problem "merge of a part: $(tail -n 1 "$folder/err")"
  rm -f "$folder"/merged.*
  "$tilecast" status "$folder/$signal/plan.csv" --format json >"$folder/out"
  grep -q "\"done\":$rows," "$folder/out" || problem "status: $(cat "$folder/out")"
  # A shard that runs twice at once: the second is refused; twice in turn into another file: merged
  FAKE_POINT_MS=1 "$tilecast" measure --plan "$folder/$signal/plan.csv" --shard 1/2 --resume 2>/dev/null
  FAKE_POINT_MS=1 "$tilecast" measure --plan "$folder/$signal/plan.csv" --shard 2/2 2>/dev/null
  FAKE_POINT_MS=1 "$tilecast" measure --plan "$folder/$signal/plan.csv" --shard 2/3 2>/dev/null
  check_merged "$folder/$signal/plan.csv" "SIG$signal"
done
shards_dir twice
FAKE_POINT_MS=100 "$tilecast" measure --plan "$folder/twice/plan.csv" --shard 1/3 2>/dev/null &
process=$!
wait_for_rows "$folder/twice/plan.1-of-3.csv"
CUDA_VISIBLE_DEVICES=3 "$tilecast" measure --plan "$folder/twice/plan.csv" --shard 1/3 --resume 2>"$folder/err"
[ $? = 6 ] && grep -q 'another run is adding to it' "$folder/err" || problem "twice: $(cat "$folder/err")"
wait $process || problem "the first of two ended with $?"

# --- several GPUs of this machine, one table at the end
export FAKE_POINT_MS=5
shards_dir devices
"$tilecast" measure --plan "$folder/devices/plan.csv" --devices 0-3 --out "$folder/devices/all.csv" \
  >"$folder/out" 2>"$folder/err" || problem "devices: $(tail -n 2 "$folder/err")"
[ "$(grep -c 'GPU-fake' "$folder/out")" = 4 ] || problem "devices: $(cat "$folder/out")"
[ "$(cut -d, -f2 "$folder/devices/all.csv" | sort -u | wc -l)" = 5 ] || problem "not four cards"
check_merged "$folder/devices/plan.csv" devices
expect_error 2 'below 4' "$tilecast" measure --plan "$folder/plan.csv" --devices 0-4 --out "$folder/x.csv"
# A suite makes its own plan; a signal to the parent reaches all, and --resume finishes.
export FAKE_POINT_MS=100
"$tilecast" measure --suite "$folder/suite.yaml" --devices all --out "$folder/devices/b.csv" \
  >"$folder/out" 2>"$folder/err" &
process=$!
wait_for_rows "$folder"/devices/b.plan.{1,2,3,4}-of-4.csv
kill -TERM $process
wait $process
code=$?
[ $code = 5 ] || problem "SIGTERM to four: exit code $code: $(tail -n 2 "$folder/err")"
FAKE_POINT_MS=0 "$tilecast" measure --suite "$folder/suite.yaml" --devices all --resume \
  --out "$folder/devices/b.csv" >"$folder/out" 2>"$folder/err" || problem "resumed: $(cat "$folder/err")"
[ "$(wc -l <"$folder/devices/b.csv")" = $((all + 1)) ] || problem "resumed on four: rows differ"

# --- a full disk: what was there stays whole, and the rest follows where there is room
if mkdir "$folder/small" && mount -t tmpfs -o size=64k tmpfs "$folder/small" 2>/dev/null; then
  trap 'umount "$folder/small"; rm -rf "$folder"' EXIT
  FAKE_POINT_MS=0 "$tilecast" measure --plan "$folder/plan.csv" --out "$folder/small/a.csv" 2>"$folder/err"
  [ $? = 6 ] && grep -q 'No space left' "$folder/err" || problem "full disk: $(tail -n 1 "$folder/err")"
  shards_dir full
  cp "$folder/small/a.csv" "$folder/full/plan.1-of-1.csv"
  cp "$folder/small/a.samples.csv.gz" "$folder/full/plan.1-of-1.samples.csv.gz"
  FAKE_POINT_MS=0 "$tilecast" measure --plan "$folder/full/plan.csv" --resume 2>"$folder/err" ||
    problem "after a full disk: $(tail -n 1 "$folder/err")"
  check_merged "$folder/full/plan.csv" "full disk"
else
  echo "no tmpfs can be mounted: a full disk is left out"
fi
finish
