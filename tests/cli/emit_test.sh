# Tests that tilecast emit writes complete files under their own names and never overwrites one.
. tests/cli/expect.sh

expect_done 'nvcc .*gemm_512x512x512_bf16_nn' "$TILECAST" emit 512x512x512 --dtype bf16 --layout nn \
  --out "$folder/new/emitted"
file=$folder/new/emitted/gemm_512x512x512_bf16_nn.cu
[ "$(ls "$folder/new/emitted")" = "$(basename "$file")" ] || problem "other files: $(ls "$folder/new/emitted")"
grep -q 'int main()' "$file" || problem "no main"
expect_error 2 'exists; --replace' "$TILECAST" emit 512x512x512 --dtype bf16 --layout nn \
  --out "$folder/new/emitted"
# Exactly one of several concurrent writers succeeds.
codes=$(for i in 1 2 3 4 5 6; do
  { "$TILECAST" emit 64x64x64 --out "$folder/once" >/dev/null 2>&1; echo $?; } &
done; wait)
[ "$(printf '%s\n' "$codes" | sort | tr '\n' ' ')" = '0 2 2 2 2 2 ' ] || problem "six at once: $codes"
[ "$(ls "$folder/once" | wc -l)" = 1 ] || problem "six at once left $(ls "$folder/once")"
# The printed line is quoted for a shell.
"$TILECAST" emit 64x64x64 --out "$folder/it's \$(id)" | grep "^cd " | sed 's/ && nvcc.*/ \&\& ls/' >"$folder/line"
[ "$(sh "$folder/line")" = gemm_64x64x64_fp16_tn.cu ] || problem "not a line for a shell: $(cat "$folder/line")"
echo mine >"$file"
expect_done 'predicted' "$TILECAST" emit 512x512x512 --dtype bf16 --layout nn --replace \
  --config 'persistent:tile=128x128x64,stages=4,warpgroups=2x1,ctas=1,inflight=1,c_slots=2,raster=grouped_m,group=8,walk=strided' \
  --out "$folder/new/emitted"
grep -q '^//   persistent ' "$file" || problem "--config is not what was emitted"
expect_done 'nvcc .*gemm_300x512x128_bf16_tn_3groups' "$TILECAST" emit '[256,0,44]x512x128' --dtype bf16 \
  --out "$folder/groups"
expect_done 'nvcc .*gemm_512x128x300_bf16_nt_3kgroups' "$TILECAST" emit '512x128x[256,0,44]' --dtype bf16 \
  --layout nt --out "$folder/groups"
grep -q 'kGroupNumbers\[\] = {256, 256, 300}' "$folder"/groups/*_3kgroups.cu || problem "other groups"
expect_done 'nvcc .*gemm_.*_e4m3_tn_8groups_scale_block' "$TILECAST" emit 512x1024 --dtype fp8 --scales block \
  --experts 8 --tokens 512 --top-k 2 --out "$folder/experts"
expect_done 'nvcc .*-arch=sm_89 .*gemm_512x512x512_e4m3_tn' "$TILECAST" emit 512x512x512 --gpu 4090 --dtype fp8 \
  --out "$folder/ada"
# The emitted folder has the files that the best kernel of a large square uses, and no others.
"$TILECAST" emit 4096 4096 4096 --out "$folder/square" >/dev/null
[ "$(cat "$folder"/square/*.cu | wc -l)" -le 1500 ] || problem "$(wc -l "$folder"/square/*.cu)"
expect_done 'nvcc .*attention_1x8_2x256x256x128_bf16_causal_bhsd' "$TILECAST" emit --op attention 1x8:2x256x256x128 \
  --dtype bf16 --causal --out "$folder/attention"
ln -s elsewhere "$folder"/attention/gemm_64x64x64_fp16_tn.cu
expect_error 2 'is a symbolic link' "$TILECAST" emit 64x64x64 --layout tn --replace --out "$folder/attention"
[ ! -e "$folder/attention/elsewhere" ] || problem "a symbolic link was followed"
expect_error 2 'emit supports only gemm and attention, not memcpy' "$TILECAST" emit 4096 --op memcpy --out "$folder/none"
expect_error 2 'rows of A and B must be multiples of 16 bytes' "$TILECAST" emit 64x64x63 --out "$folder/none"
expect_error 2 'no candidate has tile=1; there is tile=[^ ]*, [^ ]*, [^ ]* or any of [0-9]* more$' "$TILECAST" emit 64x64x64 --config 'blocked:tile=1' --out "$folder/none"
[ ! -e "$folder/none" ] || problem "something was written"
"$TILECAST" emit 64x64x64 --out - >"$folder/printed" 2>"$folder/said" || problem "--out -: exit code $?"
grep -q 'int main()' "$folder/printed" || problem "--out - does not print the program"
grep -q 'predicted' "$folder/said" || problem "--out - says nothing"
[ ! -e ./- ] || problem "--out - made a file"
# NAME.cu names the file; another name that is a file cannot hold one.
expect_error 2 'exists; --replace' "$TILECAST" emit 64x64x64 --out "$file"
echo plain >"$folder/plain"
expect_error 6 'plain.*Not a directory' "$TILECAST" emit 64x64x64 --out "$folder/plain"

finish
