// Closed-form cycles of a GEMM kernel at one SM clock.
//
// One K block of every resident CTA takes an SM about the longest of
//   mma     each wgmma max(FLOPs / rate, operand bytes / operand rate), summed;
//   turn    what one warpgroup does in sequence: its own instructions, those of the loads where no
//           warp is specialised for them, and its wgmmas where it waits for them at once;
//   intake  stage bytes / what an SM takes in;
//   l2      bytes asked of L2 / (distinct-line output x merging of concurrent requests), in
//           nanoseconds, and less where rows start off their lines;
//   ring    (load latency + a stage's intake + hand-over + what holds up the next load's issue) /
//           (stages - K blocks in flight). A warpgroup issues only `mma_queue` wgmmas ahead of the
//           tensor pipe and sees a stage free only behind that: with two stages loads and
//           multiplies run one after the other.
// Intake, l2 and ring, which meet in bursts, are added as third powers, and their sum to the
// longer of mma and turn as eighth powers, so that about equal ones take longer than either.
// A tile is its K blocks plus what its schedule leaves exposed: `warp_specialized` the last wgmmas'
// completion and the epilogue; `persistent` also the next tile's first load; `pipelined` also the
// CTA's own start. The kernel is the tiles of the busiest SM between launch, first load and last
// store, overlapped with its DRAM traffic (third powers added). Where workers share tiles along K,
// the busiest one's K blocks and pieces take the place of tiles, and partial sums come on top
// (shared_tiles.h).
//
// Leaves out: CTAs drifting apart; contention between fills and operand reads; the larger share of
// L2 that the SMs of a last, partial wave get.
// Checked by: closed_form_test.cpp (limits), committed H200 rows (validate).
#pragma once

#include <optional>

#include "model/analytic/shared_tiles.h"
#include "model/analytic/traffic.h"
#include "model/spec/gpu_spec.h"
#include "model/spec/limiter.h"
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
  double k_blocks;      // of a tile of the busiest worker, in the mean
  double all_k_blocks;  // of all CTA tiles
  i64 tiles;            // CTA tiles computed, those outside of C included
  std::optional<SharedTiles> shared;
};

GemmWork gemm_work(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config);
/// The same of one of many: `traffic` must be of this GPU and problem.
GemmWork gemm_work(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                   TrafficMemo& traffic);

/// The work of the best order of tiles there could be: no raster makes the kernel faster.
GemmWork least_gemm_work(const GpuSpec& gpu, const GemmProblem& problem,
                         const KernelConfig& config);

/// Bytes that L2 puts out, concurrent requests for one line once (loads.h).
Bytes l2_output(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                const GemmWork& work);

/// What a closed form is made of.
struct FormParts {
  Cycles ends;           // launch, first load, last store
  Cycles main_loops;     // K blocks of the busiest SM
  Cycles dram;           // its traffic alone
  Cycles step;           // one K block of each resident CTA
  Cycles mma, l2, load;  // of them: tensor pipe, L2's output; one stage's load, unloaded
  double ctas;           // of an SM at the same time
};

struct ClosedForm {
  Cycles cycles;
  Limiter limiter;
  Shares shares;
  FormParts parts;
};

ClosedForm closed_form(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                       const GemmWork& work, Hertz sm_clock);

}  // namespace tilecast
