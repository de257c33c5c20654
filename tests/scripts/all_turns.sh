# all_turns.sh BUILD: runs the tests that take a part of a list each day (tests/seed.h) on the whole list.
TILECAST_TEST_ALL=1 exec ctest --test-dir "$1" --output-on-failure --no-tests=error --timeout 3600 \
  -R '^(tilecast_(model|kernels|kernel_text|compare)|new_schedule|new_op)$'
