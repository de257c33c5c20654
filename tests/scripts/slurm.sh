# `tilecast slurm` against a real Slurm of this machine's own, which the test starts and stops: jobs
# that are killed, requeued, drained away, run twice or short of disk end with every point once. The
# measuring program is a fake (tests/fakes/measuring_program.cpp) that has no GPU.
. tests/cli/expect.sh
for program in munged slurmctld slurmd sbatch srun scontrol; do
  command -v $program >/dev/null || { echo "no $program: apt-get install slurm-wlm munge"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo "Slurm's daemons need root here"; exit 77; }

# --- a cluster of one node with two processors and two GPUs, which are device files of nothing
stop_daemons() {
  for daemon in slurmd slurmctld munged; do
    [ -f "$folder/$daemon.pid" ] && kill "$(cat "$folder/$daemon.pid")" 2>/dev/null
  done
  sleep 1
  mountpoint -q "$folder/small" && umount -l "$folder/small"
  rm -rf "$folder"
}
trap stop_daemons EXIT
free_port() {
  local port=$((20000 + RANDOM % 20000))
  while (: </dev/tcp/127.0.0.1/$port) 2>/dev/null; do port=$((port + 1)); done
  echo $port
}
RANDOM=$$
host=$(hostname -s)
chmod 755 "$folder"
head -c 1024 /dev/urandom >"$folder/munge.key" && chmod 400 "$folder/munge.key"
mkdir "$folder/state" "$folder/spool"
cat >"$folder/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(free_port)
SlurmdPort=$(free_port)
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$folder/munge.socket,cred_expire=5
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
ReturnToService=2
SlurmUser=root
SlurmdUser=root
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
  mknod "$folder/nvidia$gpu" c 195 $gpu || { echo "device files cannot be made here"; exit 77; }
  echo "NodeName=$host Name=gpu File=$folder/nvidia$gpu Flags=nvidia_gpu_env"
done >"$folder/gres.conf"
export SLURM_CONF=$folder/slurm.conf
wait_until() {  # SECONDS COMMAND...
  local left=$(($1 * 5))
  shift
  until "$@" >/dev/null 2>&1; do
    [ $((left--)) -gt 0 ] || return 1
    sleep 0.2
  done
}
munged --force --key-file="$folder/munge.key" --socket="$folder/munge.socket" \
  --pid-file="$folder/munged.pid" --log-file="$folder/munged.log" --seed-file="$folder/munged.seed" \
  >"$folder/out" 2>&1 || { echo "munged does not start here: $(cat "$folder/out")"; exit 77; }
slurmctld >"$folder/out" 2>&1 && wait_until 10 scontrol ping && slurmd >>"$folder/out" 2>&1
node_is() { sinfo -h -o %t | grep -q "$1"; }
wait_until 15 node_is idle || {
  echo "Slurm does not start here: $(cat "$folder/out"; tail -n 5 "$folder/slurmctld.log" "$folder/slurmd.log")"
  exit 77
}

# --- a plan on two GPUs of a node
mkdir "$folder/small"
cp "$TILECAST" "$(dirname "$TILECAST")/tilecast-data" "$folder" && cp "$TILECAST_FAKE_GPU" "$folder/tilecast-gpu" || exit 1
tilecast=$folder/tilecast
export TILECAST_CONFIG_DIR=$PWD/configs FAKE_HOST=$$ FAKE_POINT_MS=250
cat >"$folder/suite.yaml" <<'END'
shapes: [512x512x512, 1024x1024x1024, 1024x512x2048, 2048x2048x2048]
schedules: [pipelined, warp_specialized]
configs: [{best: 12}]
cublaslt: true
END
"$tilecast" plan "$folder/suite.yaml" --out "$folder/p.csv" 2>"$folder/err" || problem "$(cat "$folder/err")"
all=$(($(wc -l <"$folder/p.csv") - 2))
rows() { cat "$folder"/p.*-of-*.csv 2>/dev/null | grep -c gemm, ; }
running() { squeue -h -t R -o %i; }
has_rows() { [ "$(rows)" -ge "$1" ]; }
queue_is_empty() { [ -z "$(squeue -h)" ]; }
requeued() { grep -q 'Requeuing JobId=' "$folder/slurmctld.log"; }
# A requeued job waits until its credential has expired; here it need not.
no_delay() { for job in $(squeue -h -t PD -o %A); do scontrol update jobid="$job" starttime=now; done 2>/dev/null; }

# 8 shards on a node of two GPUs are 4 tasks; arrays of at most 3.
"$tilecast" slurm "$folder/p.csv" --gpus-per-node 2 --shards 8 --time 10m --submit \
  >"$folder/jobs" 2>"$folder/err" || problem "$(cat "$folder/err")"
grep -Eq '^measuring:[0-9]+:[0-9]+, then merging:[0-9]+$' "$folder/jobs" || problem "$(cat "$folder/jobs")"
wait_until 20 has_rows 2 || problem "nothing is measured: $(squeue; cat "$folder"/*.log | tail -n 5)"

# Signalled as Slurm does ahead of the end: the point in hand, exit code 5, back into the queue.
scancel --signal=USR1 "$(running | head -n 1)"
wait_until 20 requeued || problem "not queued again after SIGUSR1: $(squeue)"
grep -q 'stopped by SIGUSR1 with' "$folder"/p.*_*.log || problem "$(tail -n 3 "$folder"/p.*_*.log)"

# Killed: a measuring process without warning.
no_delay
before=$(rows)
wait_until 20 has_rows $((before + 2)) || problem "it does not go on: $(squeue)"
kill_one() { kill -9 "$(sed -n 's/^process \([0-9]*\):.*/\1/p' "/tmp/tilecast-GPU-fake-$$-1.lock")"; }
wait_until 20 kill_one || problem "no measuring process to kill"

# The node is drained: what runs ends, nothing begins; requeued by hand: it goes on elsewhere, later.
before=$(rows)
wait_until 20 has_rows $((before + 2)) || problem "it does not go on after a kill: $(squeue)"
scontrol update nodename="$host" state=drain reason=test
for job in $(running); do scontrol requeue "$job"; done
wait_until 20 sh -c '[ -z "$(squeue -h -t R,CG -o %i)" ]' || problem "jobs on a drained node: $(squeue)"
no_delay
before=$(rows)
sleep 3
[ "$(rows)" = "$before" ] || problem "points were measured on a drained node"
[ "$before" -lt "$all" ] || problem "the plan was done before the node was drained"
scontrol update nodename="$host" state=resume
no_delay

# A shard that runs a second time beside Slurm's.
wait_until 30 has_rows $((before + 2)) || problem "it does not go on after the drain: $(squeue)"
FAKE_POINT_MS=1 "$tilecast" measure --plan "$folder/p.csv" --shard 8/8 \
  --out "$folder/p.extra.csv" 2>"$folder/err" || problem "twice: $(tail -n 1 "$folder/err")"

finish_queue() { no_delay; queue_is_empty; }
wait_until 90 finish_queue || problem "jobs are left: $(squeue)"
[ -f "$folder/p.rows.csv" ] || problem "nothing is merged: $(cat "$folder"/p-merge.*.log)"
"$tilecast" merge "$folder/p.rows.csv" "$folder/p.extra.csv" --plan "$folder/p.csv" \
  --out "$folder/p.rows.csv" 2>"$folder/err" || problem "merge: $(cat "$folder/err")"
[ "$(grep -c gemm, "$folder/p.rows.csv")" = "$all" ] || problem "a row is lost or doubled"
[ "$(cut -d, -f2 "$folder/p.rows.csv" | grep -c "GPU-fake-$$-0")" -gt 0 ] &&
  [ "$(cut -d, -f2 "$folder/p.rows.csv" | grep -c "GPU-fake-$$-1")" -gt 0 ] ||
  problem "not both GPUs measured"
"$tilecast" status "$folder/p.csv" >"$folder/out"
grep -q "^$all of $all points" "$folder/out" || problem "status: $(head -n 3 "$folder/out")"

# --- a full disk: the job fails, nothing is torn, and the same scripts measure the rest later
if mount -t tmpfs -o size=48k tmpfs "$folder/small" 2>/dev/null; then
  export FAKE_POINT_MS=1
  cp "$folder/p.csv" "$folder/small/"
  "$tilecast" slurm "$folder/small/p.csv" --shards 2 --gpus-per-node 2 --time 10m --submit \
    --option=--output=/dev/null >"$folder/jobs" 2>"$folder/err" || problem "$(cat "$folder/err")"
  wait_until 40 queue_is_empty || problem "jobs on a full disk: $(squeue)"
  "$tilecast" status "$folder/small/p.csv" >"$folder/out" || problem "status on a full disk"
  grep -q "^$all of" "$folder/out" && problem "the disk was not full: $(head -n 1 "$folder/out")"
  mount -o remount,size=8m "$folder/small"
  sh "$folder/small/p.submit.sh" >"$folder/jobs" 2>"$folder/err" || problem "$(cat "$folder/err")"
  wait_until 40 queue_is_empty || problem "jobs after a full disk: $(squeue)"
  [ "$(grep -c gemm, "$folder/small/p.rows.csv")" = "$all" ] || problem "rows after a full disk"
else
  echo "no tmpfs can be mounted: a full disk is left out"
fi
[ "$failures" = 0 ] || grep -hv '^measuring' "$folder/slurmctld.log" "$folder"/p*.log | tail -n 40
finish
