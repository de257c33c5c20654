// The scripts with which Slurm measures a plan: an array job whose tasks are nodes, one measuring
// process for each GPU of a node, and a job that merges the rows when all have ended.
//
// Ahead of the end of its time, or before another job takes its place, a task's processes get a
// signal, end the point in hand and exit 5; the script then puts its task back into the queue, as
// it does where a process was killed. What Slurm itself requeues, after a node failed, goes on the
// same way. A task that fails for a reason of its own (a full disk, a broken GPU) is not run again:
// the merge job says what is missing, and submitting the same scripts again measures that. Checked
// by: slurm_job_test.cpp, and by a real Slurm in tests/scripts/slurm.sh.
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
  i64 max_array_size = 1001;  // Slurm's MaxArraySize: indices are below it
  std::chrono::seconds time{0};
  std::vector<std::string> options;  // of sbatch, for all jobs: --partition=X
};

/// So many that each is expected to need four fifths of `time`, but no more than there are points;
/// whole nodes where there are enough points.
i64 shards_for(const WorkPlan& plan, std::chrono::seconds time, i64 gpus_per_node);

/// These throw ConfigError where a name, a path or an option cannot stand in an `#SBATCH` line.
/// Run by sbatch, once for each node, with the number of its array's first shard as argument.
std::string measure_script(const SlurmJob& job);
std::string merge_script(const SlurmJob& job);
/// Submits all: as many arrays as MaxArraySize makes necessary, then the merge job.
std::string submit_script(const SlurmJob& job, const std::filesystem::path& measure,
                          const std::filesystem::path& merge);

}  // namespace tilecast
