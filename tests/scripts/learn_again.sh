#!/bin/sh
# Repeats the learning of a GPU's correction with the same files and command, from the head of its NAME.learned.yaml,
# plus the files named here; problems that a split holds out stay held out.
#
#   sh tests/scripts/learn_again.sh h200_sxm
#   sh tests/scripts/learn_again.sh h200_sxm --data validate/data/h200_sxm/NEW/*.csv.gz --split validate/data/h200_sxm/NEW/split.yaml
#
# Then run validate/accuracy.py and update the records that tests compare with (validate/data/h200_sxm/*/recorded_error*.json).
set -eu
cd "$(dirname "$0")/../.."
gpu=${1:?expected the name of a GPU}
shift
command=$(sed -n '1s/^# Written by `tilecast \(.*\)`\.$/\1/p' "configs/gpus/$gpu.learned.yaml")
# shellcheck disable=SC2086  # its words
exec ./tilecast $command "$@"
