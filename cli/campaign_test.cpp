// Tests campaign merge through the command line; runs in the repository root.
#include <string>

#include "cli/commands.h"
#include "model/base/file.h"
#include "tests/captured_run.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

/// Writes a plan with one point to a file of the folder.
std::string planned_in(const TemporaryFolder& folder) {
  const std::string suite = folder / "suite.yaml", plan = folder / "plan.csv";
  write_file(suite, "shapes: [512x512x512]\nconfigs:\n  - best: 1\n");
  REQUIRE(run_captured(run_plan, {"campaign", "plan", suite, "--out", plan}).exit_code == 0);
  return plan;
}

TEST_CASE("merge keeps a table whose rows are not of its plan") {
  const TemporaryFolder folder;
  const std::string plan = planned_in(folder), out = folder / "rows.csv";
  const std::string measured = read_file("validate/data/h200_sxm/ladder/ladder.csv");
  write_file(out, measured);
  const CapturedRun run =
      run_captured(run_merge, {"campaign", "merge", "--plan", plan, "--out", out});
  CHECK(run.exit_code == 2);
  CHECK(contains(run.err, "nothing was written"));
  CHECK(read_file(out) == measured);
}

TEST_CASE("merge replaces neither a shard nor the plan") {
  const TemporaryFolder folder;
  const std::string plan = planned_in(folder), shard = folder / "plan.1-of-1.csv";
  write_file(shard, "a shard that began");
  // Merges a shard that is named, a shard that is found by its name, and the plan.
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{shard, shard}, {shard}, {plan}}) {
    std::vector<std::string> arguments{"campaign", "merge", "--plan", plan, "--out"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const CapturedRun run = run_captured(run_merge, arguments);
    CHECK(run.exit_code == 2);
    CHECK(contains(run.err, "; choose another file"));
    CHECK(read_file(shard) == "a shard that began");
  }
}

TEST_CASE("Neither merge nor slurm overwrites a shard or the plan") {
  const TemporaryFolder folder;
  const std::string plan = planned_in(folder), shard = folder / "plan.2-of-3.csv";
  const std::string named = "--out " + shard + ": this is the name of a shard's file";
  for (const std::string& out : {plan, shard}) {
    const CapturedRun slurm = run_captured(run_slurm, {"campaign", "slurm", plan, "--out", out});
    CHECK(slurm.exit_code == 2);
    CHECK((out == plan) != contains(slurm.err, named));
  }
  CHECK(contains(run_captured(run_merge, {"campaign", "merge", "--plan", plan, "--out", shard}).err,
                 named));
}

}  // namespace
}  // namespace tilecast
