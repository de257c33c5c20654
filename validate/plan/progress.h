// How far the shards of a plan are, from the files they write alone: whatever runs them, Slurm or a
// loop, on this host or another, needs not to be asked.
// Checked by: progress_test.cpp, tests/scripts/fleet.sh.
#pragma once

#include <filesystem>
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
  std::map<std::string, std::size_t> counts;  // of its rows, by status
  std::string last;                           // date of its last row; empty without rows
  bool running = false;                       // a process holds its file open
};

struct PlanProgress {
  std::size_t points = 0, done = 0;            // each point once, whichever shards have it
  std::map<std::string, std::size_t> counts;   // of the done ones, by status
  std::vector<ShardProgress> shards;           // those that began
  std::map<std::string, std::size_t> reasons;  // of rows that are not ok, shortened
  Seconds expected_left;                       // of one process, by the plan's guess
  std::optional<double> pace;  // what points took over that guess, while shards ran without a break
  std::size_t running = 0;

  /// Of one process.
  Seconds left() const { return expected_left * pace.value_or(1); }
};

PlanProgress progress_of(const WorkPlan& plan, const std::vector<ShardFile>& shards);

}  // namespace tilecast
