// Slurm scripts that measure a plan: an array job with one task per node, which runs a measuring
// process per GPU, and a job that merges the rows at the end.
//
// Before its time limit, or on preemption, a task's processes get a signal, finish the current
// point and exit with 5; the script then requeues the task, as it does if a process was killed. If
// Slurm requeues a task after a node failure, it resumes in the same way. A task that fails for
// another reason (a full disk, a broken GPU) is not repeated: the merge job reports the missing
// rows, and submitting the same scripts again measures them. Checked by: slurm_job_test.cpp, and
// with a real Slurm in tests/scripts/slurm.sh.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "model/base/integers.h"
#include "validate/plan/work_plan.h"

namespace tilecast {

struct SlurmJob {
  std::filesystem::path program, plan, out;  // absolute; `out` is the merged table
  std::string name;
  i64 shards = 1, gpus_per_node = 1;
  i64 max_array_size = 1001;  // Slurm's MaxArraySize; indices are below it
  std::chrono::seconds time{0};
  std::vector<std::string> options;  // sbatch options for all jobs, such as --partition=X
};

/// Number of shards with which each shard is expected to need four fifths of `time`; at most one
/// per point, and rounded up to whole nodes if there are enough points.
i64 shards_for(const WorkPlan& plan, std::chrono::seconds time, i64 gpus_per_node);

/// Throw ConfigError if a name, path or option cannot be in an `#SBATCH` line. The script is run by
/// sbatch, once per node, with the index of the array's first shard as argument.
std::string measure_script(const SlurmJob& job);
std::string merge_script(const SlurmJob& job);
/// Submits everything: as many arrays as MaxArraySize requires, then the merge job.
std::string submit_script(const SlurmJob& job, const std::filesystem::path& measure,
                          const std::filesystem::path& merge);

}  // namespace tilecast
