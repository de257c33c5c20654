// tilecast slurm: the scripts with which Slurm measures a plan, and their submission.

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/budget.h"
#include "cli/child_process.h"
#include "cli/commands.h"
#include "cli/forward.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/base/text.h"
#include "validate/plan/slurm_job.h"
#include "validate/run/measure_progress.h"

namespace tilecast {
namespace {

struct SlurmOptions {
  std::string plan, time = "30m", out;
  i64 gpus_per_node = 1;
  std::optional<i64> shards, max_array_size;
  std::vector<std::string> options;
  bool submit = false;
};

/// MaxArraySize of the cluster that this machine is part of; nothing where it is of none.
std::optional<i64> max_array_size() {
  const ChildResult config = run_child("/usr/bin/env", {"scontrol", "show", "config"});
  if (!config.started || config.exit_code != 0) {
    return std::nullopt;
  }
  for (const std::string_view line : split(config.output, '\n')) {
    if (line.starts_with("MaxArraySize")) {
      return parse_integer(line.substr(line.rfind(' ') + 1));
    }
  }
  return std::nullopt;
}

void run_slurm(const SlurmOptions& options) {
  const WorkPlan plan = read_plan(options.plan);
  SlurmJob job{.program = gpu_program().parent_path() / "tilecast",
               .plan = std::filesystem::absolute(options.plan),
               .gpus_per_node = options.gpus_per_node,
               .time = parse_budget(options.time, "--time"),
               .options = options.options};
  const std::string stem = job.plan.stem().string();
  job.name = stem;
  job.out = options.out.empty() ? job.plan.parent_path() / (stem + ".rows.csv")
                                : std::filesystem::absolute(options.out);
  job.shards = options.shards ? *options.shards : shards_for(plan, job.time, options.gpus_per_node);
  if (const auto size = options.max_array_size ? options.max_array_size : max_array_size()) {
    job.max_array_size = *size;
  }
  const auto script = [&](const char* what) {
    return job.plan.parent_path() / fmt::format("{}.{}.sh", stem, what);
  };
  write_file(script("measure"), measure_script(job));
  write_file(script("merge"), merge_script(job));
  write_file(script("submit"), submit_script(job, script("measure"), script("merge")));
  fmt::print(
      stderr, "{}: {} points in {} shards of {}, {} GPUs of a node at a time\n",
      script("submit").string(), plan.points.size(), job.shards,
      clock_text(expected_time(plan, {0, plan.points.size()}) / static_cast<double>(job.shards)),
      job.gpus_per_node);
  if (!options.submit) {
    return;
  }
  const ChildResult submitted = run_child("/bin/sh", {script("submit").string()});
  if (!submitted.started || submitted.exit_code != 0) {
    throw Error(ExitCode::kWrong,
                fmt::format("{}: {}", script("submit").string(), submitted.output));
  }
  fmt::print("{}", submitted.output);
}

}  // namespace

void add_slurm(Program& program) {
  const Command command = program.command("slurm", "Write Slurm job scripts that measure a plan");
  const auto options = std::make_shared<SlurmOptions>();
  command
      .option("PLAN", options->plan,
              "What `tilecast plan` wrote, on a file system that "
              "the nodes share")
      .required();
  command.option("--gpus-per-node", options->gpus_per_node, "Measuring processes on a node")
      .in_range(1, 64);
  command.option("--time", options->time,
                 "Time limit of a task, after which it is requeued: 30m, 4h");
  command.option("--shards", options->shards, "Default: enough for each to fit --time")
      .in_range(i64{1}, kMostShards);
  command.option("--out", options->out, "The merged table; default PLAN.rows.csv");
  command
      .option("--max-array-size", options->max_array_size,
              "Slurm's MaxArraySize; default what `scontrol show config` says, else 1001")
      .in_range(1, 4'000'000);
  command.option("--option", options->options,
                 "A line for sbatch, such as --option=--partition=gpu; repeatable");
  command.flag("--submit", options->submit, "Submit them; prints the jobs' numbers");
  command.runs([options] { run_slurm(*options); });
}

}  // namespace tilecast
