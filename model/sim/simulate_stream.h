// Simulates one memory-bound kernel, as simulate_gemm does a GEMM: a block is a tile, and its loads
// are its one K block. Of a problem with many blocks for each CTA the beginning is simulated, twice
// as long the second time; the rest goes on as between the two. Not where observers look.
//
// Checked by: simulate_stream_test.cpp (limits against closed forms, bytes conserved), committed
// H200 rows.
#pragma once

#include "model/sim/simulate.h"
#include "model/tile/stream_config.h"

namespace tilecast {

/// The GPU's file has all sections that a memory-bound kernel's processes need.
bool can_simulate(const GpuSpec& gpu, const StreamConfig& config);

/// `ctas_per_sm`: resident at once. Throws ConfigError where it cannot.
Simulated simulate_stream(const GpuSpec& gpu, const StreamProblem& problem,
                          const StreamConfig& config, i32 ctas_per_sm, Hertz sm_clock,
                          Observers observers = {});

}  // namespace tilecast
