# Sourced by the tests of plans and shards: . tests/scripts/fake_gpus.sh
# tilecast with a measuring program that needs no GPU (tests/fakes/measuring_program.cpp); everything
# else is real. The plan in $folder/plan.csv has $all points.
. tests/cli/expect.sh
remove_folder() {
  mountpoint -q "$folder/small" && umount -l "$folder/small"
  rm -rf "$folder"
}
trap remove_folder EXIT
trap 'exit 1' INT TERM HUP

# tilecast looks for tilecast-data and tilecast-gpu in its own folder.
tilecast=$folder/tilecast
cp "$TILECAST" "$(dirname "$TILECAST")/tilecast-data" "$folder" &&
  cp "$TILECAST_FAKE_GPU" "$folder/tilecast-gpu" || exit 1
export TILECAST_CONFIG_DIR=$PWD/configs FAKE_HOST=$$

# make_plan BEST: the BEST fastest configurations per schedule for four problems, and cuBLASLt
make_plan() {
  cat >"$folder/suite.yaml" <<END
shapes: [512x512x512, 1024x1024x1024, 1024x512x2048, 2048x2048x2048:4096:512]
schedules: [pipelined, warp_specialized]
configs: [{best: $1}]
cublaslt: true
END
  "$tilecast" campaign plan "$folder/suite.yaml" --out "$folder/plan.csv" 2>"$folder/err" ||
    { problem "plan: $(cat "$folder/err")"; finish; }
  all=$(($(wc -l <"$folder/plan.csv") - 2))
  points "$folder/plan.csv" >"$folder/planned"
  [ "$(wc -l <"$folder/planned")" = "$all" ] || problem "a line of the plan is no point"
}

# The columns that identify the point of a row: op to config and regime to l2_state.
points() {
  grep -hoE 'gemm,[0-9]+,[0-9]+,[0-9]+,[a-z0-9]+,[a-z]+,("[^"]*"|[^,]*),[a-z]+,[a-z]+,[a-z]+,' "$@" |
    sort
}

# check_rows TABLE WHAT: every point of the plan appears once
check_rows() {
  points "$1" | diff "$folder/planned" - >"$folder/diff" ||
    problem "$2: points lost or doubled: $(head -n 4 "$folder/diff")"
  [ "$(wc -l <"$1")" = $((all + 1)) ] || problem "$2: a line is no row"
}

# wait_until SECONDS COMMAND...: tries ten times per second
wait_until() {
  local left=$(($1 * 10))
  shift
  until "$@" >/dev/null 2>&1; do
    [ $((left--)) -gt 0 ] || return 1
    sleep 0.1
  done
}

# small_disk SIZE: mounts one on $folder/small, if permitted
small_disk() {
  mkdir "$folder/small" && mount -t tmpfs -o size="$1" tmpfs "$folder/small" 2>/dev/null || {
    echo "no tmpfs can be mounted: a full disk is left out"
    return 1
  }
}
