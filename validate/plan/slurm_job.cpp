#include "validate/plan/slurm_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/base/math.h"
#include "model/base/shell_text.h"

namespace tilecast {
namespace {

// Signal time, in seconds before the end of a task's time limit.
constexpr int kSignalAhead = 60;
constexpr int kMostRestarts = 1000;  // more restarts mean a problem that time does not solve
constexpr int kMergeMinutes = 30;

std::string directives(const SlurmJob& job, const std::string& name) {
  std::string text = fmt::format("#SBATCH --job-name={}\n#SBATCH --nodes=1\n", sbatch_value(name));
  for (const std::string& option : job.options) {
    text += fmt::format("#SBATCH {}\n", sbatch_option(option));
  }
  return text;
}

/// Path of the log. `pattern`: Slurm's placeholder, such as %j.
std::string log_of(const SlurmJob& job, const std::string& name, std::string_view pattern) {
  std::string path;
  for (const char c : (job.plan.parent_path() / name).string()) {
    path += c == '%' ? "%%" : std::string(1, c);
  }
  return fmt::format("#SBATCH --open-mode=append\n#SBATCH --output={}\n",
                     sbatch_value(fmt::format("{}.{}.log", path, pattern)));
}

}  // namespace

i64 shards_for(const WorkPlan& plan, std::chrono::seconds time, i64 gpus_per_node) {
  constexpr double kShare = 0.8;
  const double expected = expected_time(plan, {0, plan.points.size()}).value;
  const i64 wanted = std::max<i64>(
      1, std::llround(std::ceil(expected / (kShare * static_cast<double>(time.count())))));
  const i64 nodes = ceil_div(wanted, gpus_per_node);
  return std::min({nodes * gpus_per_node, static_cast<i64>(plan.points.size()), kMostShards});
}

std::string measure_script(const SlurmJob& job) {
  const i64 tasks = std::min(job.gpus_per_node, job.shards);
  std::string text = fmt::format(
      "#!/bin/bash\n"
      "# A node's shards of a plan, a measuring process on each GPU. Written by `tilecast campaign "
      "slurm`.\n"
      "{}"
      "#SBATCH --ntasks={}\n"
      "#SBATCH --gpus-per-task=1\n"
      "#SBATCH --time={}:{:02}\n"
      "#SBATCH --requeue\n"
      "#SBATCH --signal=USR1@{}\n",
      directives(job, job.name), tasks, job.time.count() / 60, job.time.count() % 60,
      std::min<i64>(kSignalAhead, job.time.count() / 2));
  text += log_of(job, job.name, "%A_%a");
  text += fmt::format(
      "trap : TERM USR1  # they are for the measuring processes, and this waits for those\n"
      "export first=$(($1 + SLURM_ARRAY_TASK_ID * {}))\n"
      "srun --ntasks={} --gpus-per-task=1 --kill-on-bad-exit=0 bash -c '\n"
      "  shard=$((first + SLURM_PROCID))\n"
      "  [ \"$shard\" -le {} ] || exit 0\n"
      "  exec \"$1\" measure --plan \"$2\" --shard \"$shard/{}\" --resume' shard {} {}\n"
      "code=$?\n"
      "if {{ [ $code = 5 ] || [ $code -gt 128 ]; }} &&\n"
      "  [ \"${{SLURM_RESTART_COUNT:-0}}\" -lt {} ]; then\n"
      "  scontrol requeue \"${{SLURM_ARRAY_JOB_ID}}_$SLURM_ARRAY_TASK_ID\"\n"
      "fi\n"
      "exit $code\n",
      tasks, tasks, job.shards, job.shards, shell_word(job.program.string()),
      shell_word(job.plan.string()), kMostRestarts);
  return text;
}

std::string merge_script(const SlurmJob& job) {
  return fmt::format(
      "#!/bin/bash\n"
      "# The rows of a plan's shards as one table. Written by `tilecast campaign slurm`.\n"
      "{}"
      "#SBATCH --ntasks=1\n"
      "#SBATCH --time={}\n"
      "{}"
      "exec {} campaign merge --plan {} --out {}\n",
      directives(job, job.name + "-merge"), kMergeMinutes, log_of(job, job.name + "-merge", "%j"),
      shell_word(job.program.string()), shell_word(job.plan.string()),
      shell_word(job.out.string()));
}

std::string submit_script(const SlurmJob& job, const std::filesystem::path& measure,
                          const std::filesystem::path& merge) {
  const i64 nodes = ceil_div(job.shards, job.gpus_per_node);
  std::string text =
      "#!/bin/sh\n"
      "# Submits a plan's array jobs and the merge job; prints their numbers. Written by\n"
      "# `tilecast campaign slurm`. Run again later, it measures what is missing then.\n"
      "set -eu\n"
      "jobs=\n";
  for (i64 node = 0; node < nodes; node += job.max_array_size) {
    text += fmt::format("jobs=$jobs:$(sbatch --parsable --array=0-{} {} {})\n",
                        std::min(nodes - node, job.max_array_size) - 1,
                        shell_word(measure.string()), node * job.gpus_per_node + 1);
  }
  text += fmt::format(
      "merge=$(sbatch --parsable --dependency=\"afterany$jobs\" {})\n"
      "echo \"measuring${{jobs}}, then merging:$merge\"\n",
      shell_word(merge.string()));
  return text;
}

}  // namespace tilecast
