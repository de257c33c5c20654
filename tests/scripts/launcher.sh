# Tests the launcher on a small tree of the same layout: it builds what a command needs once,
# notices changes, shows progress, and handles failures, other folders, symbolic links, moves, and
# two calls at the same time.
. tests/cli/expect.sh
export TILECAST_NO_INSTALL=1
unset CXXFLAGS

tree=$folder/tree
mkdir -p "$tree/cli" "$tree/cmake" "$tree/kernels" "$tree/model" "$tree/reports" "$tree/validate/data"
cp tilecast "$tree/"
cat >"$tree/CMakeLists.txt" <<'TREE'
cmake_minimum_required(VERSION 3.25)
project(tilecast VERSION 1.2.3 LANGUAGES CXX)
option(TILECAST_BUILD_TESTS "" OFF)
add_executable(tilecast cli/main.cpp)
set_target_properties(tilecast PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
add_custom_target(quick COMMAND true)
add_custom_target(slow COMMAND sleep 5 COMMAND touch ${PROJECT_BINARY_DIR}/all)
add_dependencies(slow quick)
add_custom_target(tilecast_programs DEPENDS tilecast slow)
enable_testing()
add_test(NAME passes COMMAND ${CMAKE_COMMAND} -E true)
add_test(NAME skips COMMAND sh -c "exit 77")
set_tests_properties(skips PROPERTIES SKIP_RETURN_CODE 77 LABELS gpu)
TREE
# program TEXT: prints TEXT and its arguments, and exits with 5
program() {
  printf '#include <cstdio>\nint main(int n, char** v) {\n  std::printf("%s");\n' "$1"
  printf '  for (int i = 1; i < n; ++i) std::printf("[%%s]", v[i]);\n  return 5;\n}\n'
}

# answers CODE TEXT WHAT COMMAND...
answers() {
  local code=$1 text=$2 what=$3 got
  shift 3
  "$@" >"$folder/out" 2>"$folder/err" </dev/null
  got=$?
  [ "$got" = "$code" ] || problem "$what: exit code $got, expected $code: $(cat "$folder/err")"
  [ "$(cat "$folder/out")" = "$text" ] || problem "$what: wrote '$(cat "$folder/out")'"
}
silent() { [ ! -s "$folder/err" ] || problem "$1: not silent: $(cat "$folder/err")"; }

# Commands that need no program do not build it.
printf 'What is there\n\n' >"$tree/cli/help.txt"
printf '  %-9s words\n' predict explain list gpus validate x >>"$tree/cli/help.txt"
answers 0 "$(cat "$tree/cli/help.txt")" 'help, unbuilt' "$tree/tilecast" --help
answers 0 'tilecast 1.2.3' 'version, unbuilt' "$tree/tilecast" --version
for words in '' words --bogus 'x.*' What; do
  # shellcheck disable=SC2086
  answers 2 '' "'$words', unbuilt" "$tree/tilecast" $words
  [ "$(wc -l <"$folder/err")" = 1 ] || problem "'$words', unbuilt: $(cat "$folder/err")"
done
for option in --help -h; do
  "$tree/tilecast" test "$option" >"$folder/out" 2>&1 || problem "test $option: exit code $?"
  grep -q '^./tilecast test .*ctest' "$folder/out" || problem "test $option: $(cat "$folder/out")"
done
[ ! -e "$tree/build" ] || problem 'something was built to say that nothing is needed'

# Two first calls at once: one builds, both print; predict builds only one program.
program one >"$tree/cli/main.cpp"
"$tree/tilecast" predict >"$folder/beside" 2>/dev/null &
answers 5 'one[explain][a b]' 'first call' "$tree/tilecast" explain 'a b'
wait $!
[ $? = 5 ] || problem "a second launcher at once failed"
[ "$(cat "$folder/beside")" = 'one[predict]' ] || problem "a second launcher at once did not answer"
answers 5 'one[list]' 'list' "$tree/tilecast" list
answers 5 'one[gpus]' 'gpus' "$tree/tilecast" gpus
[ ! -e "$tree/build/release/all" ] || problem "predict, explain, list, gpus: everything was built"
answers 5 'one[validate]' 'another command' "$tree/tilecast" validate
[ -e "$tree/build/release/all" ] || problem "another command: not everything was built"
grep -q '^tilecast: building \[' "$folder/err" || problem "no progress: $(cat "$folder/err")"
sed -i 's/ slow)/)/' "$tree/CMakeLists.txt"
answers 5 'one[validate]' 'after a change' "$tree/tilecast" validate
answers 5 'one[predict]' 'predict after everything' "$tree/tilecast" predict
silent 'predict after everything'

answers 5 'one[x]' 'second call' "$tree/tilecast" x
silent 'second call'
mkdir "$folder/elsewhere" && ln -s ../tree/tilecast "$folder/elsewhere/link"
answers 5 'one[x]' 'through a link' sh -c "cd / && '$folder/elsewhere/link' x"
silent 'through a link'
# A toolkit counts once: its compiler on the PATH as well causes no rebuild.
mkdir -p "$folder/cuda/include" "$folder/bin" && touch "$folder/cuda/include/nvrtc.h"
printf '#!/bin/sh\n' >"$folder/bin/nvcc" && chmod +x "$folder/bin/nvcc"
answers 5 'one[x]' 'with a toolkit' env CUDAToolkit_ROOT="$folder/cuda" "$tree/tilecast" x
grep -q 'building' "$folder/err" || problem 'with a toolkit: not built again'
answers 5 'one[x]' 'with nvcc' env CUDAToolkit_ROOT="$folder/cuda" PATH="$folder/bin:$PATH" \
  "$tree/tilecast" x
silent 'with nvcc'
answers 5 'one[x]' 'without the toolkit' "$tree/tilecast" x
touch "$tree/validate/data/new.csv"
answers 5 'one' 'after new data' "$tree/tilecast"
silent 'after new data'

# A change that does not compile: the error is shown, and shown again by the next call.
echo 'int main() { return planted; }' >"$tree/cli/main.cpp"
for call in first next; do
  answers 1 '' "broken source, $call call" "$tree/tilecast" x
  grep -q 'planted.*not declared\|undeclared.*planted' "$folder/err" || problem "the error is not shown"
done
program two >"$tree/cli/main.cpp"
answers 5 'two[x]' 'after the repair' "$tree/tilecast" x
answers 5 'two' 'after the repair, again' "$tree/tilecast"
silent 'after the repair, again'

# ctest's summary counts skipped tests as passed; the last line does not.
"$tree/tilecast" test >"$folder/out" 2>"$folder/err" </dev/null || problem "test: failed"
tail -n 1 "$folder/err" | grep -q '1 tests passed, 0 failed, 1 skipped, of 2' ||
  problem "test: $(tail -n 1 "$folder/err")"
"$tree/tilecast" test -L none >"$folder/out" 2>"$folder/err" </dev/null &&
  problem "test: no test at all passed"

mkdir "$folder/full" && cp -r "$tree/tilecast" "$tree/CMakeLists.txt" "$tree/cli" "$folder/full/"
touch "$folder/full/build"
answers 6 '' 'a build folder that cannot be written' "$folder/full/tilecast" x
grep -q '^tilecast: .*/build/release: cannot be written$' "$folder/err" ||
  problem "a build folder that cannot be written: $(cat "$folder/err")"

mv "$tree" "$folder/moved"
answers 5 'two[x]' 'after a move' "$folder/moved/tilecast" x
finish
