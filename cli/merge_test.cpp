// merge through the command line; in the repository's root.
#include <string>

#include "cli/commands.h"
#include "model/base/file.h"
#include "tests/captured_run.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

TEST_CASE("merge writes nothing over a table whose rows are not of its plan") {
  const TemporaryFolder folder;
  write_file(folder / "suite.yaml", "shapes: [512x512x512]\nconfigs:\n  - best: 1\n");
  const std::string plan = folder / "plan.csv", out = folder / "rows.csv";
  REQUIRE(run_captured(add_plan, {"plan", folder / "suite.yaml", "--out", plan}).exit_code == 0);
  const std::string measured = read_file("validate/data/h200_sxm/ladder/ladder.csv");
  write_file(out, measured);
  for (const bool is_input : {false, true}) {
    std::vector<std::string> arguments{"merge", "--plan", plan, "--out", out};
    if (is_input) {
      arguments.push_back(out);
    }
    const CapturedRun run = run_captured(add_merge, arguments);
    CHECK(run.exit_code == 2);
    CHECK(run.err.find(is_input ? "is the file of" : "nothing was written") != std::string::npos);
    CHECK(read_file(out) == measured);
  }
}

}  // namespace
}  // namespace tilecast
