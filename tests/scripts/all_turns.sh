# all_turns.sh BUILD: the tests that compile or simulate a part of a list a day (tests/seed.h), with all of it.
TILECAST_TEST_ALL=1 exec ctest --test-dir "$1" --output-on-failure --no-tests=error --timeout 3600 \
  -R '^tilecast_(model|kernels|kernel_text|compare)$'
