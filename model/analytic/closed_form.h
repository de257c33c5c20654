// Closed-form cycles of a GEMM kernel at one SM clock.
//
// One K block of every resident CTA takes an SM the longest of
//   mma     each wgmma max(FLOPs / rate, operand bytes / operand rate) + issue overhead, summed;
//   turn    what one warpgroup does in sequence: its own instructions, those of the loads where no
//           warp is specialised for them, and its wgmmas where it waits for them at once;
//   intake  stage bytes / what an SM takes in;
//   l2      bytes asked of L2 / (distinct-line output x merging of concurrent requests), in
//           nanoseconds, and less where rows start off their lines;
//   ring    (load latency + stage transfer + the wgmmas that hold a stage) / stages.
// A tile is its K blocks plus what its schedule leaves exposed: `warp_specialized` the last wgmmas'
// completion and the epilogue; `persistent` also the next tile's first load; `pipelined` also the
// CTA's own start. The kernel is the tiles of the busiest SM between launch, first load and last
// store, overlapped with its DRAM traffic (sixth powers added, so that two about equal take a
// little longer than either). Where workers share tiles along K, the busiest one's K blocks and
// pieces take the place of tiles, and partial sums come on top (shared_tiles.h).
//
// Leaves out: CTAs drifting apart; contention between fills and operand reads; the larger share of
// L2 that the SMs of a last, partial wave get.
// Checked by: closed_form_test.cpp (limits), committed H200 rows (validate).
#pragma once

#include <optional>

#include "model/analytic/limiter.h"
#include "model/analytic/shared_tiles.h"
#include "model/analytic/traffic.h"
#include "model/spec/gpu_spec.h"
#include "model/tile/gemm_problem.h"
#include "model/tile/kernel_config.h"

namespace tilecast {

/// Where workers share tiles along K.
struct SharedTiles {
  WorkerShare busiest;
  i64 workers;
};

/// What a configuration does to a problem, independent of the clock: the expensive part.
struct GemmWork {
  GemmTraffic traffic;
  Bytes shared_memory;  // operand reads and fills, all SMs
  i32 ctas_per_sm;      // resident
  i64 tiles_per_sm;     // of the busiest SM
  i64 k_blocks;
  i64 tiles;  // CTA tiles computed, those outside of C included
  std::optional<SharedTiles> shared;
};

/// `traffic` must be of this GPU and problem.
GemmWork gemm_work(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                   TrafficMemo& traffic);

/// The work of the best order of tiles there could be: no raster makes the kernel faster.
GemmWork least_gemm_work(const GpuSpec& gpu, const GemmProblem& problem,
                         const KernelConfig& config);

struct ClosedForm {
  Cycles cycles;
  Limiter limiter;
  Shares shares;
};

ClosedForm closed_form(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                       const GemmWork& work, Hertz sm_clock);

}  // namespace tilecast
