// The memory-bound configurations that are tried for a problem, and why others are not: the product
// of a menu of blocks, buffers, warps, vectors, orders and hints, sifted by legality.
#pragma once

#include <vector>

#include "model/op/menu.h"
#include "model/spec/gpu_spec.h"
#include "model/stream/stream_config.h"

namespace tilecast {

using StreamCandidates = CandidatesOf<StreamConfig>;

/// All of them are searched where none is named.
inline bool is_on_menu(const GpuSpec&, StreamSchedule) { return true; }

/// `schedules` of the problem's op; empty means all of them. In a fixed order.
StreamCandidates enumerate_candidates(const GpuSpec& gpu, const StreamProblem& problem,
                                      const std::vector<StreamSchedule>& schedules);

}  // namespace tilecast
