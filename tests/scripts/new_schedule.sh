# new_schedule.sh BUILD: adds a schedule to a copy of the tree, a renamed `persistent`, by its row and
# the four files of docs/dev/schedule.md, sections 3 and 4. The model must rank it, and its kernel must follow
# its simulated processes (roles_test checks both). Without its row, or its case in roles.h, it must not compile.
# Every fourth day, odd as tests of the tables of simulations run on even ones.
set -u
build=$1 folder=$1/new_schedule turn=3
. tests/scripts/copied_tree.sh
# put_into FILE TEXT: inserts it after the first switch.
put_into() {
  printf '%s\n' "$2" >"$folder/cases"
  sed -i "0,/switch (schedule) {/{/switch (schedule) {/r $folder/cases
}" "$1"
}

row=model/gemm/config/schedule.h
of_persistent=$(sed -n '/case Schedule::kPersistent:/,/;$/p' "$row")
count=$(sed -n 's/^constexpr i32 kScheduleCount = \([0-9]*\);/\1/p' "$row")
sed -i -e '/^enum class Schedule /,/^};/s/^};/  kThrowaway,\n};/' \
  -e "s/^\(constexpr i32 kScheduleCount = \).*/\1$((count + 1));/" "$row"
compiles "$row" && fail "a schedule without a row compiles"
put_into "$row" "$(echo "$of_persistent" | sed -e 's/kPersistent/kThrowaway/' \
  -e 's/"persistent"/"throwaway"/' -e 's/"pe"/"tw"/' -e 's/meaning = "/&thrown away: /')"
compiles "$row" || fail "a schedule with a row does not compile"

roles=model/gemm/sim/schedules/roles.h
sed -i 's/^Process persistent(\(.*\)/&\nProcess throwaway(\1/' "$roles"
compiles "$roles" && fail "a schedule without processes compiles"
put_into "$roles" "    case Schedule::kThrowaway:
      return throwaway;"
sed 's/^Process persistent(/Process throwaway(/' model/gemm/sim/schedules/persistent.cpp \
  >model/gemm/sim/schedules/throwaway.cpp
cp kernels/gemm/persistent.cu kernels/gemm/throwaway.cu
# Only this schedule: the others are compiled elsewhere.
sed -i -n 's/ persistent:/ throwaway:/p' tests/roles/kernels.txt

touched=$(changes -q | grep -v "/$row ")
printf 'beside its row:\n%s\n' "$touched"
[ "$(echo "$touched" | wc -l)" -le 4 ] || fail "more than four files beside the row"

build_copy tilecast_roles_test

../build/tests/roles/tilecast_roles_test 'The schedule of every kernel*' --success >../ranked.txt ||
  { cat ../ranked.txt; fail "it is not ranked"; }
grep -q 'throwaway' ../ranked.txt || fail "it was not among the ranked"
../build/tests/roles/tilecast_roles_test 'Every role of a kernel*,A K block has*' ||
  fail "kernel and processes differ"
