# `tilecast campaign slurm` on a private Slurm, which the test starts and stops without privileges:
# although jobs are killed, requeued, drained, run twice or out of disk space, every point ends up
# measured once.
for program in munged slurmctld slurmd sbatch srun scontrol; do
  command -v $program >/dev/null || PATH=$PATH:/usr/sbin
  command -v $program >/dev/null || { echo "no $program: apt-get install slurm-wlm munge"; exit 77; }
done
. tests/scripts/fake_gpus.sh

# --- a cluster of one node with two processors and two fake GPUs
free_port() {  # FIRST
  local port=$1
  while (: </dev/tcp/127.0.0.1/$port) 2>/dev/null; do port=$((port + 1)); done
  echo $port
}
host=$(hostname -s)
user=$(id -un)
port=$(free_port $((20000 + $$ % 20000)))
head -c 1024 /dev/urandom >"$folder/munge.key" && chmod 400 "$folder/munge.key"
chmod 755 "$folder"
mkdir "$folder/state" "$folder/spool"
cat >"$folder/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$(free_port $((port + 1)))
AuthType=auth/munge
CredType=cred/munge
# cred_expire, at least 5 s: how long a requeued job waits
AuthInfo=socket=$folder/munge.socket,cred_expire=5
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
SlurmUser=$user
SlurmdUser=$user
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd.pid
SlurmdSpoolDir=$folder/spool
StateSaveLocation=$folder/state
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd.log
SlurmdParameters=config_overrides
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=1,bf_interval=1,sched_interval=1
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MaxArraySize=3
KillWait=3
GresTypes=gpu
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 Gres=gpu:2 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
for gpu in 0 1; do
  ln -s /dev/null "$folder/nvidia$gpu"
  echo "NodeName=$host Name=gpu File=$folder/nvidia$gpu Flags=nvidia_gpu_env"
done >"$folder/gres.conf"
export SLURM_CONF=$folder/slurm.conf

# Children of this script, which end with it in any case.
daemons=()
daemon() {  # COMMAND...
  setpriv --pdeathsig TERM "$@" >>"$folder/daemons.log" 2>&1 &
  daemons+=($!)
}
queue_is_empty() { [ -z "$(squeue -h)" ]; }
stop_cluster() {
  squeue -h -o %A 2>/dev/null | xargs -r scancel
  wait_until 10 queue_is_empty
  kill "${daemons[@]}" 2>/dev/null
  wait
  remove_folder
}
trap stop_cluster EXIT
daemon munged --foreground --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
  --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" --seed-file="$folder/munged.seed"
wait_until 10 test -S "$folder/munge.socket" || { echo "munged does not start here: $(cat "$folder/daemons.log")"; exit 77; }
daemon slurmctld -D
wait_until 10 scontrol ping
daemon slurmd -D
node_is() { sinfo -h -o %t | grep -q "$1"; }
wait_until 15 node_is idle || {
  echo "Slurm does not start here: $(tail -n 5 "$folder/daemons.log" "$folder/slurmctld.log" "$folder/slurmd.log")"
  exit 77
}

# --- a plan on two GPUs of a node: 8 shards are 4 tasks; arrays of at most 3
make_plan 8
plan=$folder/plan
rows() { cat "$plan".*-of-*.csv 2>/dev/null | grep -c gemm, ; }
has_rows() { [ "$(rows)" -ge "$1" ]; }
goes_on() { wait_until 20 has_rows $(($(rows) + 2)) || problem "$1, and it does not go on: $(squeue)"; }
running() { squeue -h -t R -o %A; }
times_requeued() { grep -c 'Requeuing JobId=' "$folder/slurmctld.log"; }
was_requeued() { [ "$(times_requeued)" -gt "$before" ]; }

export FAKE_POINT_MS=120
"$tilecast" campaign slurm "$plan.csv" --gpus-per-node 2 --shards 8 --time 10m --submit \
  >"$folder/jobs" 2>"$folder/err" || problem "$(cat "$folder/err")"
grep -Eq '^measuring:[0-9]+:[0-9]+, then merging:[0-9]+$' "$folder/jobs" || problem "$(cat "$folder/jobs")"
goes_on submitted

# Signalled as by Slurm before the time limit: finishes the current point, exits with 5, is requeued
before=$(times_requeued)
timeout 2 scancel --signal=USR1 "$(running | head -n 1)"  # it asks again where a task is starting
wait_until 20 was_requeued || problem "not queued again after SIGUSR1: $(squeue)"
grep -q 'stopped by SIGUSR1 with' "$plan".*_*.log || problem "$(tail -n 3 "$plan".*_*.log)"
goes_on signalled

# Killed: a measuring process, without warning
before=$(times_requeued)
kill_one() { kill -9 "$(sed -n 's/^process \([0-9]*\):.*/\1/p' "/tmp/tilecast-GPU-fake-$$-1.lock")"; }
wait_until 20 kill_one || problem "no measuring process to kill"
wait_until 20 was_requeued || problem "not queued again after a kill: $(squeue)"
goes_on killed

# The node is drained: running jobs are requeued by hand and end, none starts
scontrol update nodename="$host" state=drain reason=test
for job in $(running); do scontrol requeue "$job" 2>"$folder/err"; done
is_quiet() { [ -z "$(squeue -h -t R,CG -o %i)" ]; }
wait_until 20 is_quiet || problem "jobs on a drained node: $(squeue)"
before=$(rows)
[ "$before" -lt "$all" ] || problem "the plan was done before the node was drained"
sleep 2
[ "$(rows)" = "$before" ] || problem "points were measured on a drained node"
scontrol update nodename="$host" state=resume
goes_on drained

# A shard that runs a second time next to Slurm's
FAKE_POINT_MS=1 "$tilecast" measure --plan "$plan.csv" --shard 8/8 \
  --out "$plan.extra.csv" 2>"$folder/err" || problem "twice: $(tail -n 1 "$folder/err")"

wait_until 90 queue_is_empty || problem "jobs are left: $(squeue)"
[ -f "$plan.rows.csv" ] || problem "nothing is merged: $(cat "$plan"-merge.*.log)"
check_rows "$plan.rows.csv" "Slurm's merge"
"$tilecast" campaign merge "$plan.rows.csv" "$plan.extra.csv" --plan "$plan.csv" \
  --out "$folder/merged.csv" 2>"$folder/err" || problem "merge: $(cat "$folder/err")"
check_rows "$folder/merged.csv" "with a shard twice"
for gpu in 0 1; do
  cut -d, -f2 "$plan.rows.csv" | grep -q "GPU-fake-$$-$gpu" || problem "GPU $gpu has measured nothing"
done
"$tilecast" campaign status "$plan.csv" >"$folder/out"
grep -q "^$all of $all points" "$folder/out" || problem "status: $(head -n 3 "$folder/out")"

# --- a full disk: the job fails, no row is truncated, and the same scripts measure the rest later
if small_disk 48k; then
  export FAKE_POINT_MS=0
  cp "$plan.csv" "$folder/small/"
  "$tilecast" campaign slurm "$folder/small/plan.csv" --shards 2 --gpus-per-node 2 --time 10m --submit \
    --option=--output=/dev/null >"$folder/jobs" 2>"$folder/err" || problem "$(cat "$folder/err")"
  wait_until 40 queue_is_empty || problem "jobs on a full disk: $(squeue)"
  "$tilecast" campaign status "$folder/small/plan.csv" >"$folder/out" || problem "status on a full disk"
  grep -q "^$all of" "$folder/out" && problem "the disk was not full: $(head -n 1 "$folder/out")"
  mount -o remount,size=8m "$folder/small"
  sh "$folder/small/plan.submit.sh" >"$folder/jobs" 2>"$folder/err" || problem "$(cat "$folder/err")"
  wait_until 40 queue_is_empty || problem "jobs after a full disk: $(squeue)"
  check_rows "$folder/small/plan.rows.csv" "after a full disk"
fi
[ "$failures" = 0 ] || grep -hv '^measuring' "$folder/slurmctld.log" "$plan"*.log | tail -n 40
finish
