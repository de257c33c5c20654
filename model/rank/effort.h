// Options of a ranking: how much it may simulate, and which kernels it lists besides the fastest.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>

#include "model/ops/any_op.h"
#include "model/rank/prediction.h"

namespace tilecast {

constexpr std::size_t kEveryCandidate = std::numeric_limits<std::size_t>::max();

/// Length of a list of configurations that are ranked one by one: 2 to 3 seconds for a large GEMM.
constexpr std::size_t kMostAlone = 50;

/// Kernels listed besides the fastest, since the fastest are often one kernel with many tile
/// orders. Their times come from the analytic model and the learned corrections; the best kernels
/// with another tile and of the compared schedules, and the counterpart, are simulated if they
/// could be the fastest, and the rows of a table if their simulations are short.
struct Shortlist {
  std::size_t tiles = 0;  // number of pairs of schedule and tile, common ones first
  std::size_t rows = 0;   // number of rows of the table
  std::function<bool(const AnyConfig&)> has_counterpart =
      {};  // whether another library has the kernel
};

/// The ranking is the same for any `threads`.
struct Effort {
  std::optional<Method> method = {};  // default_method of the op if not set
  std::optional<std::size_t> simulations =
      // maximum number of simulations per schedule; if not set, 1 to 8 by cost, and a total
      {};
  unsigned threads = 0;     // number of threads; one per processor if 0
  bool whole_menu = false;  // include dominated candidates (candidates.h)
  Shortlist shortlist = {};
  Objective objective = Objective::kTime;
  // Length of a list (rank_configs) whose configurations are each ranked as one alone; in longer
  // lists only those that could be first are simulated.
  std::size_t most_alone = kMostAlone;
  std::size_t least_simulations = 1;  // per schedule, however long they are; 4 in rank_matching
};

}  // namespace tilecast
