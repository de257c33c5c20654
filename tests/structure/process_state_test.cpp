#include "tests/structure/process_state.h"

#include "model/base/file.h"
#include "tests/catch.h"
#include "tests/structure/include_direction.h"

using namespace tilecast;

TEST_CASE("Library code neither changes the process nor depends on its locale") {
  int checked = 0;
  for (const auto& file : source_files(".")) {
    const std::string path = file.string();
    if (!leaves_process_alone(path)) {
      continue;
    }
    ++checked;
    const std::string content = read_file(file);
    for (const std::string& violation : process_state_violations(path, content)) {
      FAIL_CHECK(violation);
    }
    for (const std::string& stale : stale_exceptions(path, content)) {
      FAIL_CHECK(stale);
    }
  }
  CHECK(checked > 500);
}

TEST_CASE("A use of process state is reported with its place, except in comments and strings") {
  const auto found = process_state_violations(
      "cli/a.cpp", "// atof of a comment\nf(\"umask\");\ndouble x = std::stod(text);  // stof\n");
  REQUIRE(found.size() == 1);
  CHECK(found.front() ==
        "cli/a.cpp:3: stod: the locale decides what it reads; use std::from_chars");
  for (const char* code :
       {"::umask(0);", "std::setlocale(LC_ALL, \"\");", "sscanf(a, b);", "std::ostringstream out;",
        "::setenv(a, b, 1);", "std::getenv(a);", "fs::current_path(a);", "strtod(a, b);"}) {
    INFO(code);
    CHECK(process_state_violations("model/base/a.cpp", code).size() == 1);
  }
  CHECK(process_state_violations("model/base/a.cpp", "unmask(0); my_atof(a); std::cout_;").empty());
}

TEST_CASE("An exception covers one name in one file") {
  CHECK(process_state_violations("library/request.cpp", "std::getenv(name);").empty());
  CHECK(process_state_violations("library/request.cpp", "::setenv(a, b, 1);").size() == 1);
  CHECK(process_state_violations("library/plan.cpp", "std::getenv(name);").size() == 1);
  CHECK(stale_exceptions("library/request.cpp", "int x;").size() == 1);
}

TEST_CASE("The rule applies to the layers and not to tests") {
  CHECK(leaves_process_alone("library/plan.cpp"));
  CHECK(leaves_process_alone("include/tilecast/tilecast.hpp"));
  CHECK_FALSE(leaves_process_alone("library/run_test.cpp"));
  CHECK_FALSE(leaves_process_alone("library/run_benchmark.cpp"));
  CHECK_FALSE(leaves_process_alone("kernels/emit/main.cu"));
  CHECK_FALSE(leaves_process_alone("tests/structure/process_state.cpp"));
}
