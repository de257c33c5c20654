// Simulates one memory-bound kernel, as simulate_gemm does a GEMM: a block is a tile, and its loads
// are its one K block.
//
// Checked by: simulate_stream_test.cpp (limits against closed forms, bytes conserved), committed
// H200 rows.
#pragma once

#include "model/sim/simulate.h"
#include "model/tile/stream_config.h"

namespace tilecast {

/// `ctas_per_sm`: resident at once. Throws ConfigError where the GPU has no section stream.
Simulated simulate_stream(const GpuSpec& gpu, const StreamProblem& problem,
                          const StreamConfig& config, i32 ctas_per_sm, Hertz sm_clock,
                          Observers observers = {});

}  // namespace tilecast
