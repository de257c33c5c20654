# Tests the output of `tilecast completion` in each shell, and the words of `list` and `gpus`.
. tests/cli/expect.sh

"$TILECAST" completion bash >"$folder/completion.bash" || problem "completion bash: exit code $?"
# completed WORD...: bash's completions of the last word
completed() {
  bash -c '. "$1"; shift; program=$1; shift; COMP_WORDS=("$program" "$@"); COMP_CWORD=$#; _tilecast; printf "%s\n" "${COMPREPLY[@]}"' \
    - "$folder/completion.bash" "$TILECAST" "$@"
}
offers() { # WORD LINE...
  local word=$1
  shift
  completed "$@" | grep -qxF -- "$word" || problem "'$*' does not offer $word: $(completed "$@")"
}
offers predict pre
offers --layout predict 1x1x8 --la
offers h200_sxm predict --gpu h2
offers ping_pong predict --schedule ping
offers zsh completion zs
offers schedules list sch
offers cutlass predict --format cu
[ -z "$(completed doctor --format cu)" ] || problem "doctor --format offers cutlass"
offers --data validate --da # of tilecast-data
offers --replace emit --re
offers merge campaign me
offers --gpus-per-node campaign slurm --gpus
[ -z "$(completed predict --bogus)" ] || problem "an option that is none is completed"

"$TILECAST" completion zsh >"$folder/_tilecast" || problem "completion zsh: exit code $?"
if command -v zsh >/dev/null; then
  zsh -n "$folder/_tilecast" || problem "zsh cannot read its script"
fi
expect_error 2 'SHELL' "$TILECAST" completion fish

for word in $("$TILECAST" list schedules | cut -d' ' -f1); do
  expect_error 2 'configuration|expected|tile' "$TILECAST" predict 64x64x64 --config "$word:bogus=1"
done
[ "$("$TILECAST" list schedules | grep -c '^[a-z]')" = 23 ] || problem "list schedules: not every schedule"
expect_done '^h200_sxm +NVIDIA H200' "$TILECAST" list gpus
expect_done '^  tn ' "$TILECAST" list
expect_done '^sustained +continuous load' "$TILECAST" list regimes
expect_done '^block +a scale for each 1x128 block' "$TILECAST" list scales
expect_done '^attention +softmax' "$TILECAST" list ops
[ "$("$TILECAST" list bottlenecks | grep -c '^[a-z]')" = 10 ] || problem "list bottlenecks: not every bottleneck"
expect_done '^dram.capacity +141 GiB +datasheet$' "$TILECAST" gpus h200
expect_error 2 'KIND' "$TILECAST" list colours
expect_done '^h200_sxm .*yes' "$TILECAST" gpus
grep -Eq '^    [0-9]+ measured, ' "$folder/out" || problem 'gpus: no number of measured ones'
for listing in gpus list; do
  [ "$("$TILECAST" $listing | awk 'length > 80' | wc -l)" = 0 ] || problem "$listing: over 80 columns"
done
expect_done '"name":"b200".*"based_on":"h200_sxm"' "$TILECAST" gpus --format json
# For one GPU every number with its source; for a derived one also the inherited numbers.
expect_done '^dram.capacity +141 GiB +datasheet$' "$TILECAST" gpus h200
expect_done '^power.burst_limit +[0-9.]+ \+- [0-9.]+ W +fitted$' "$TILECAST" gpus h200_sxm
expect_done '^machine.turn +[0-9.]+ cycle +assumed$' "$TILECAST" gpus h100_sxm
grep -q '^    as on h200_sxm: ' "$folder/out" || problem "gpus h100_sxm: no reference: $(head -c 300 "$folder/out")"
[ "$(awk 'length > 80' "$folder/out" | wc -l)" = 0 ] || problem "gpus h100_sxm: over 80 columns"
expect_done '"key":"sm.count","value":132.0,"unit":"1","source":"[a-z]+"' "$TILECAST" gpus h200_sxm --format json
expect_error 2 'nosuch' "$TILECAST" gpus nosuch
# Broken GPU files do not hide the others, and each is named once.
cp -r configs "$folder/configs" && printf 'name: "a\\u0007"\n' >"$folder/configs/gpus/another.yaml"
printf 'junk: [\n' >"$folder/configs/gpus/broken.yaml"
for listing in gpus 'list gpus'; do
  TILECAST_CONFIG_DIR=$folder/configs "$TILECAST" $listing >"$folder/list" 2>"$folder/err"
  [ $? = 2 ] || problem "$listing does not fail by a broken file"
  one_error_line 'another.yaml:1: name: expected text without control.*broken.yaml:2: not valid YAML' "$listing"
  "$TILECAST" $listing | cmp -s - "$folder/list" || problem "$listing hides good files"
done
TILECAST_CONFIG_DIR=$folder/configs expect_error 2 "unknown GPU 'nosuch'" "$TILECAST" gpus nosuch
expect_error 2 "unknown GPU 'H20'" "$TILECAST" predict 64x64x64 --gpu H20  # a GPU of its own, not the H200

finish
