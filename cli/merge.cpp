// tilecast merge: the rows of a plan's shards as one table, what is missing and what contradicts.

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/file_plan.h"
#include "cli/merge_files.h"

namespace tilecast {
namespace {

struct MergeOptions {
  std::vector<std::string> files;
  std::string plan, out;
};

void run_merge(const MergeOptions& options) {
  const WorkPlan plan = read_plan(options.plan);
  std::vector<std::filesystem::path> shards(options.files.begin(), options.files.end());
  if (shards.empty()) {
    for (const ShardFile& file : shard_files_of(options.plan)) {
      shards.push_back(file.path);
    }
  }
  FilePlan files;  // a merge would replace a shard that is also its output
  files.reads("--plan", options.plan);
  for (const std::filesystem::path& shard : shards) {
    files.reads("CSV", shard);
  }
  files.writes("--out", options.out);
  files.check();
  const Merge merge = merge_into(options.out, plan, shards);
  report_merge(options.out, plan, merge);
}

}  // namespace

void add_merge(Program& program) {
  const Command command = program.command(
      "merge", "Merge the rows of a plan's shards; exits with 5 where points are missing");
  const auto options = std::make_shared<MergeOptions>();
  command.option("CSV", options->files,
                 "Rows of shards; default all PLAN.I-of-N.csv beside the plan");
  command.option("--plan", options->plan, "What `tilecast plan` wrote").required();
  command.option("--out", options->out, "CSV to write; rows already in it stay").required();
  command.runs([options] { run_merge(*options); });
}

}  // namespace tilecast
