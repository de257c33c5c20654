# Tests a plan divided among processes: whatever is killed, signalled, run twice or out of disk
# space, the merged rows are the points of the plan, each exactly once. KILLS=30 by default; SEED
# seeds the random times.
. tests/scripts/fake_gpus.sh
kills=${KILLS:-30}
RANDOM=${SEED:-1}
export FAKE_GPUS=4
make_plan 12
[ "$all" -gt 150 ] || problem "$all points: too few for this test"

# --- the plan: deterministic, hashed, rejected if changed
grep -q 'content [0-9a-f]\{16\}' "$folder/plan.csv" || problem "a plan without its hash"
"$tilecast" campaign plan "$folder/suite.yaml" --out "$folder/again.csv" 2>/dev/null
cmp -s "$folder/plan.csv" "$folder/again.csv" || problem "two plans of one suite differ"
sed 's/,1024,1024,1024,/,1024,1024,1032,/' "$folder/plan.csv" >"$folder/changed.csv"
expect_error 2 'changed after' "$tilecast" campaign status "$folder/changed.csv"
expect_error 2 'I/N' "$tilecast" measure --plan "$folder/plan.csv" --shard 5/4
expect_error 2 'plan' "$tilecast" measure --plan "$folder/plan.csv" --suite "$folder/suite.yaml"

# check_merged PLAN WHAT: merges the shards in the plan's folder
check_merged() {
  "$tilecast" campaign merge --plan "$1" --out "$folder/merged.csv" >"$folder/out" 2>&1 ||
    problem "$2: merge: $(tail -n 3 "$folder/out")"
  check_rows "$folder/merged.csv" "$2"
  rm -f "$folder"/merged.*
}
# copy_plan NAME: a new folder with a copy of the plan
copy_plan() { mkdir "$folder/$1" && cp "$folder/plan.csv" "$folder/$1/plan.csv"; }
has_rows() { [ "$(wc -l <"$1")" -gt 2 ]; }

# --- one process, a loop, and GNU parallel if installed, with the same arguments
export FAKE_POINT_MS=0
copy_plan one
"$tilecast" measure --plan "$folder/one/plan.csv" 2>"$folder/err" || problem "$(tail -n 1 "$folder/err")"
check_rows "$folder/one/plan.1-of-1.csv" "one process"
copy_plan loop
for i in 1 2 3 4; do
  "$tilecast" measure --plan "$folder/loop/plan.csv" --shard $i/4 2>"$folder/err" ||
    problem "$(tail -n 1 "$folder/err")"
done
check_merged "$folder/loop/plan.csv" loop
if command -v parallel >/dev/null; then
  copy_plan parallel
  parallel --will-cite -j 4 CUDA_VISIBLE_DEVICES='{%}' "$tilecast" measure \
    --plan "$folder/parallel/plan.csv" --shard '{}/7' --resume ::: 1 2 3 4 5 6 7 2>"$folder/err" ||
    problem "parallel: $(tail -n 1 "$folder/err")"
  check_merged "$folder/parallel/plan.csv" parallel
else
  echo "no GNU parallel: left out"
fi

# --- kill -9 at random times on random shards, each resumed until it is complete
copy_plan killed
touch "$folder/killed/more"
measure_until_done() {  # SHARD
  local code=1
  until [ $code = 0 ]; do
    FAKE_POINT_MS=0
    [ -e "$folder/killed/more" ] && FAKE_POINT_MS=$((RANDOM % 400 + 1))
    CUDA_VISIBLE_DEVICES=$1 "$tilecast" measure --plan "$folder/killed/plan.csv" \
      --shard "$1/4" --resume 2>"$folder/killed/$1.log" &
    echo $! >"$folder/killed/$1.pid"
    wait $!
    code=$?
    # 5: the child was killed during a point, which its row records
    [ $code = 0 ] || [ $code = 5 ] || [ $code -gt 128 ] || { touch "$folder/killed/$1.failed"; break; }
  done
  rm "$folder/killed/$1.pid"
}
kill_one() {  # FILE: a process of this number, or the child that measures for it
  local victim
  victim=$(cat "$1" 2>/dev/null) && [ -n "$victim" ] || return
  [ $((RANDOM % 2)) = 0 ] || victim=$(pgrep -P "$victim" | head -n 1)
  [ -n "$victim" ] && kill -9 "$victim" 2>/dev/null
}
for i in 1 2 3 4; do
  RANDOM=$((RANDOM + i))
  measure_until_done $i 2>/dev/null &
done
killed=0
while [ "$killed" -lt "$kills" ]; do
  sleep "0.0$((RANDOM % 9 + 1))"
  running=("$folder"/killed/*.pid)
  [ -e "${running[0]}" ] || break
  kill_one "${running[$((RANDOM % ${#running[@]}))]}" && killed=$((killed + 1))
done
rm "$folder/killed/more"  # and what is slow now begins again
for file in "$folder"/killed/*.pid; do kill_one "$file"; done
wait
[ "$killed" = "$kills" ] || problem "the run was over after $killed kills of $kills"
for file in "$folder"/killed/*.failed; do
  [ -e "$file" ] && problem "a shard failed: $(tail -n 1 "${file%.failed}.log")"
done
check_merged "$folder/killed/plan.csv" kills

# --- a signal finishes the current point, writes it and exits with 5; the remaining points are exact
for signal in TERM USR1; do
  copy_plan $signal
  FAKE_POINT_MS=50 "$tilecast" measure --plan "$folder/$signal/plan.csv" --shard 1/2 2>"$folder/err" &
  process=$!
  wait_until 60 has_rows "$folder/$signal/plan.1-of-2.csv" || problem "SIG$signal: no rows"
  "$tilecast" campaign status "$folder/$signal/plan.csv" >"$folder/out"
  grep -q '1 shard running' "$folder/out" || problem "status: $(cat "$folder/out")"
  kill -$signal $process
  wait $process
  code=$?
  [ $code = 5 ] || problem "SIG$signal: exit code $code: $(tail -n 1 "$folder/err")"
  grep -q "stopped by SIG$signal with" "$folder/err" || problem "SIG$signal: $(tail -n 1 "$folder/err")"
  rows=$(($(wc -l <"$folder/$signal/plan.1-of-2.csv") - 1))
  [ $rows -gt 0 ] && [ $rows -lt $((all / 2)) ] || problem "SIG$signal: $rows rows of a shard"
  # Missing points, by merge and by status
  "$tilecast" campaign merge --plan "$folder/$signal/plan.csv" --out "$folder/merged.csv" 2>"$folder/err"
  [ $? = 5 ] && grep -q "$((all - rows)) points are missing" "$folder/err" ||
    problem "merge of a part: $(tail -n 1 "$folder/err")"
  rm -f "$folder"/merged.*
  "$tilecast" campaign status "$folder/$signal/plan.csv" --format json >"$folder/out"
  grep -q "\"done\":$rows," "$folder/out" || problem "status: $(cat "$folder/out")"
done
# The rest, and shards of another division with the same points: merged to one row each
"$tilecast" measure --plan "$folder/TERM/plan.csv" --shard 1/2 --resume 2>/dev/null
"$tilecast" measure --plan "$folder/TERM/plan.csv" --shard 2/2 2>/dev/null
"$tilecast" measure --plan "$folder/TERM/plan.csv" --shard 2/3 2>/dev/null
check_merged "$folder/TERM/plan.csv" SIGTERM

# --- a shard that runs twice at once: the second run is rejected
copy_plan twice
FAKE_POINT_MS=100 "$tilecast" measure --plan "$folder/twice/plan.csv" --shard 1/3 2>/dev/null &
process=$!
wait_until 60 has_rows "$folder/twice/plan.1-of-3.csv" || problem "twice: no rows"
CUDA_VISIBLE_DEVICES=3 "$tilecast" measure --plan "$folder/twice/plan.csv" --shard 1/3 --resume 2>"$folder/err"
[ $? = 6 ] && grep -q 'another run is writing to it' "$folder/err" || problem "twice: $(tail -n 1 "$folder/err")"
kill $process
wait $process
code=$?
[ $code = 5 ] || problem "the first of two ended with $code"

# --- several GPUs of this machine, one merged table
copy_plan devices
"$tilecast" measure --plan "$folder/devices/plan.csv" --devices 0-3 --out "$folder/devices/all.csv" \
  >"$folder/out" 2>"$folder/err" || problem "devices: $(tail -n 2 "$folder/err")"
[ "$(grep -c 'GPU-fake' "$folder/out")" = 4 ] || problem "devices: $(cat "$folder/out")"
[ "$(cut -d, -f2 "$folder/devices/all.csv" | sort -u | wc -l)" = 5 ] || problem "not four cards"
check_rows "$folder/devices/all.csv" devices
expect_error 2 'below 4' "$tilecast" measure --plan "$folder/plan.csv" --devices 0-4 --out "$folder/x.csv"
# A suite makes its own plan; a signal to the parent reaches all processes, and --resume finishes.
FAKE_POINT_MS=100 "$tilecast" measure --suite "$folder/suite.yaml" --devices all \
  --out "$folder/devices/b.csv" >"$folder/out" 2>"$folder/err" &
process=$!
for i in 1 2 3 4; do
  wait_until 60 has_rows "$folder/devices/b.plan.$i-of-4.csv" || problem "device $i of four: no rows"
done
kill -TERM $process
wait $process
code=$?
[ $code = 5 ] || problem "SIGTERM to four: exit code $code: $(tail -n 2 "$folder/err")"
"$tilecast" measure --suite "$folder/suite.yaml" --devices all --resume \
  --out "$folder/devices/b.csv" >"$folder/out" 2>"$folder/err" || problem "resumed: $(cat "$folder/err")"
check_rows "$folder/devices/b.csv" "resumed on four"

# --- a budget covers the whole command: kernels are compiled while others are measured, and the
# command does not wait for kernels that are not compiled when the budget ends
SECONDS=0
FAKE_COMPILE_MS=100000 FAKE_POINT_MS=200 "$tilecast" measure --suite "$folder/suite.yaml" --budget 6s \
  --out "$folder/budget.csv" >"$folder/out" 2>"$folder/err"
code=$?
[ $code = 5 ] && grep -q 'stopped by --budget 6s' "$folder/err" || problem "budget: $code, $(tail -n 1 "$folder/err")"
[ "$(wc -l <"$folder/budget.csv")" -gt 2 ] || problem 'nothing was measured while kernels compiled'
[ $SECONDS -lt 30 ] || problem "a budget of 3 s took $SECONDS s"

# --- a full disk: existing rows stay intact, and the rest follows when there is space
if small_disk 48k; then
  "$tilecast" measure --plan "$folder/plan.csv" --out "$folder/small/a.csv" 2>"$folder/err"
  [ $? = 6 ] && grep -q 'No space left' "$folder/err" || problem "full disk: $(tail -n 1 "$folder/err")"
  rows=$(wc -l <"$folder/small/a.csv")
  [ "$rows" -gt 1 ] && [ "$rows" -le "$all" ] || problem "$((rows - 1)) rows fit a full disk"
  copy_plan full
  cp "$folder/small/a.csv" "$folder/full/plan.1-of-1.csv"
  "$tilecast" measure --plan "$folder/full/plan.csv" --resume 2>"$folder/err" ||
    problem "after a full disk: $(tail -n 1 "$folder/err")"
  check_merged "$folder/full/plan.csv" "full disk"
fi
finish
