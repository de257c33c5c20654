// tilecast status: how far the shards of a plan are, what failed, and the time that is left.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.h"
#include "cli/merge_files.h"
#include "cli/output_parts.h"
#include "model/base/shown_text.h"
#include "validate/plan/progress.h"
#include "validate/run/measure_progress.h"

namespace tilecast {
namespace {

void print_json(const WorkPlan& plan, const PlanProgress& progress) {
  nlohmann::ordered_json shards = nlohmann::ordered_json::array();
  for (const ShardProgress& shard : progress.shards) {
    shards.push_back({{"shard", fmt::format("{}/{}", shard.shard.index, shard.shard.count)},
                      {"points", shard.points},
                      {"done", shard.done},
                      {"counts", shard.counts},
                      {"running", shard.running},
                      {"last", shard.last}});
  }
  const nlohmann::ordered_json answer = {
      {"schema", 1},
      {"content", content_hash(plan)},
      {"points", progress.points},
      {"done", progress.done},
      {"counts", progress.counts},
      {"running", progress.running},
      {"left_s", rounded(progress.left().value, 6)},
      {"pace", progress.pace ? nlohmann::ordered_json(rounded(*progress.pace, 4))
                             : nlohmann::ordered_json()},
      {"reasons", progress.reasons},
      {"shards", shards}};
  fmt::print("{}\n", answer.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_table(const PlanProgress& progress) {
  fmt::print("{} of {} ({}), {} running\n", progress.done, counted(progress.points, "point"),
             counts_text(progress.counts), counted(progress.running, "shard"));
  if (progress.done < progress.points) {
    const double running = static_cast<double>(std::max<std::size_t>(1, progress.running));
    fmt::print(
        "left: {} of one GPU{}{}\n", clock_text(progress.left()),
        progress.running > 1
            ? fmt::format(", {} of {}", clock_text(progress.left() / running), progress.running)
            : "",
        progress.pace
            ? fmt::format("; points take {:.2f} times what the plan expects", *progress.pace)
            : "");
  }
  for (const ShardProgress& shard : progress.shards) {
    fmt::print("{:>9}  {:>6} of {:<6} {:<8} {:<20}  {}\n",
               fmt::format("{}/{}", shard.shard.index, shard.shard.count), shard.done, shard.points,
               shard.running                ? "running"
               : shard.done == shard.points ? "done"
                                            : "stopped",
               shard.last, counts_text(shard.counts));
  }
  for (const auto& [reason, number] : progress.reasons) {
    fmt::print("{} x {}\n", number, reason);
  }
}

}  // namespace

void add_status(Program& program) {
  const Command command =
      program.command("status", "Show the progress of a plan's shards: done, failed, time left");
  const auto path = std::make_shared<std::string>();
  const auto format = std::make_shared<std::string>("table");
  command.option("PLAN", *path, "What `tilecast plan` wrote, its shards' files beside it")
      .required();
  command.option("--format", *format, "table or json").one_of({"table", "json"});
  command.runs([path, format] {
    const WorkPlan plan = read_plan(*path);
    const PlanProgress progress = progress_of(plan, shard_files_of(*path));
    *format == "json" ? print_json(plan, progress) : print_table(progress);
  });
}

}  // namespace tilecast
