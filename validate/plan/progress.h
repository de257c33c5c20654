// Progress of a plan's shards, from the files that they write. Does not depend on what runs them:
// Slurm or a loop, on this host or another. Checked by: progress_test.cpp, tests/scripts/fleet.sh.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/base/units.h"
#include "validate/plan/merge.h"
#include "validate/plan/work_plan.h"

namespace tilecast {

struct ShardProgress {
  Shard shard;
  std::size_t points = 0, done = 0;
  std::map<std::string, std::size_t> counts;  // rows by status
  std::string last;                           // date of its last row; empty if it has no rows
  bool running = false;                       // whether a process holds its file open
};

struct PlanProgress {
  std::size_t points = 0, done = 0;            // points counted once over all shards
  std::map<std::string, std::size_t> counts;   // number of finished points, by status
  std::vector<ShardProgress> shards;           // shards that have started
  std::map<std::string, std::size_t> reasons;  // reasons of rows that are not ok, shortened
  // Time left for one process, from the plan's estimate.
  Seconds expected_left;
  std::optional<double> pace;  // actual / estimated time per point, gaps excluded
  std::size_t running = 0;

  /// Time left for one process.
  Seconds left() const { return expected_left * pace.value_or(1); }
};

PlanProgress progress_of(const WorkPlan& plan, const std::vector<ShardFile>& shards);

}  // namespace tilecast
