// The search space of memory-bound configurations: every combination of blocks, buffers, warps,
// vectors, orders and hints, filtered by legality.
#pragma once

#include <vector>

#include "model/op/menu.h"
#include "model/spec/gpu_spec.h"
#include "model/stream/stream_config.h"

namespace tilecast {

using StreamCandidates = CandidatesOf<StreamConfig>;

/// All schedules are searched by default.
inline bool is_on_menu(const GpuSpec&, StreamSchedule) { return true; }

/// Lists the configurations of `schedules` in a fixed order. `schedules` must belong to the
/// problem's op; empty means all of them.
StreamCandidates enumerate_candidates(const GpuSpec& gpu, const StreamProblem& problem,
                                      const std::vector<StreamSchedule>& schedules);

}  // namespace tilecast
