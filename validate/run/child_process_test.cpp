#include "validate/run/child_process.h"

#include "tests/catch.h"

using tilecast::ChildResult;
using tilecast::run_child;

TEST_CASE("A child gets its arguments unchanged, and both of its streams are captured") {
  const ChildResult result =
      run_child("/bin/sh", {"-c", "echo \"$1\"; echo beside >&2", "sh", "two words"});
  CHECK(result.started);
  CHECK(result.exit_code == 0);
  CHECK(result.output == "two words\nbeside\n");
}

TEST_CASE("A child's exit code is kept, and a signal is distinguished from it") {
  CHECK(run_child("/bin/sh", {"-c", "exit 3"}).exit_code == 3);
  CHECK(run_child("/bin/sh", {"-c", "kill -9 $$"}).exit_code == 128 + 9);
}

TEST_CASE("A program that does not exist is a result, not an exception") {
  CHECK(!run_child("/nonexistent/program", {}).started);
}
