// What a ranking may take, and which kernels it shows besides the fastest.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>

#include "model/ops/any_op.h"
#include "model/rank/prediction.h"

namespace tilecast {

constexpr std::size_t kEveryCandidate = std::numeric_limits<std::size_t>::max();

/// Kernels that an answer shows besides the fastest ones, which are often one kernel in many orders
/// of its tiles. They are found by physics and corrected by what was learned; those that are not
/// among the fastest of their schedule are not simulated.
struct Shortlist {
  std::size_t tiles = 0;  // of so many pairs of schedule and tile, and of those people write first
  std::function<bool(const AnyConfig&)> has_counterpart = {};  // in another library
};

/// What a ranking may take. The answer does not depend on the threads.
struct Effort {
  std::optional<Method> method = {};            // none: default_method of the op
  std::optional<std::size_t> simulations = {};  // of each schedule, at most; none: 1 to 8, by cost
  unsigned threads = 0;                         // 0: one for each processor
  bool whole_menu = false;                      // with the candidates that never pay (candidates.h)
  Shortlist shortlist = {};
};

}  // namespace tilecast
