#include "model/gemm/sim/simulate.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/config/tensor_memory.h"
#include "model/gemm/costs/dram_reads.h"
#include "model/gemm/costs/fused_epilogue.h"
#include "model/gemm/costs/tensor_operation.h"
#include "model/gemm/sim/grid.h"
#include "model/gemm/sim/kernel/first_reads.h"
#include "model/gemm/sim/steady_k.h"

namespace tilecast {
namespace {

Bytes bytes(i64 count) { return {static_cast<double>(count)}; }

double share(SimTime busy, SimTime all) {
  return static_cast<double>(busy.ps) / static_cast<double>(all.ps);
}

/// If tensor memory does not suffice, a real SM stalls the CTA until another one ends.
void require_tensor_memory(const KernelConfig& config, Residency residency) {
  if (uses_tcgen05(config.schedule) &&
      tensor_memory_columns(config) * residency.ctas_per_sm > kTensorMemoryColumns) {
    throw ConfigError(fmt::format(
        "{} CTAs with {} columns each do not fit in the {} columns of an SM's tensor memory",
        residency.ctas_per_sm, tensor_memory_columns(config), kTensorMemoryColumns));
  }
}

Simulated simulate_at_k(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                        Residency residency, Hertz sm_clock, Observers observers, Waves waves,
                        const Rerun* again) {
  GemmKernel kernel(gpu, problem, config, residency, sm_clock, waves, observers, again);
  run_grid(kernel);

  const SkippedWaves skipped = kernel.skipped;
  Progress more = of_skipped(kernel.marks, skipped);
  // If the queue of DRAM or L2 grows from wave to wave, the queue sets the end time.
  more.at = std::max({more.at, more.dram_busy, more.l2_busy});
  const SkippedTiles exactly = skipped.count == 0
                                   ? SkippedTiles{}
                                   : skipped_tiles(skipped, kernel.whole, kernel.scheduler, config,
                                                   kernel.panels, kernel.a, kernel.b);
  // The skipped waves are represented by the mean wave. They read panels that no simulated tile
  // read, and at most the bytes that they request from L2.
  const i64 read_left_out = skipped.count == 0
                                ? 0
                                : std::max(first_reads_left_out(kernel),
                                           std::min(more.traffic.dram_read, exactly.l2_to_sm));
  const i64 cta_tiles = exactly.tiles * cluster_size(config.tiling);

  const SimTime stored = std::max(kernel.last_store, kernel.chip.memory.dram_free_at());
  const i64 k_blocks =
      kernel.k_blocks_multiplied + cta_tiles * kernel.parts_multiplied() * kernel.k_blocks;
  const Progress whole = kernel.progress();
  const MemoryTraffic& traffic = whole.traffic;
  // A run writes all of C. The part that remains in L2 at its end is written during the next run.
  // If more of C is in L2 at the end than at the beginning, the difference is still to be written.
  const Bytes unwritten{
      residency.cold
          ? 0
          : std::max(0.0, bytes_of_c(problem) -
                              static_cast<double>(traffic.dram_write + more.traffic.dram_write))};
  // Dividing L2's output among the current waiters can exceed its rate by up to 1.4 %, so the total
  // times of L2 and DRAM are lower bounds.
  const SimTime end =
      std::max({stored + kernel.costs.front().launch.kernel + more.at, whole.l2_busy + more.l2_busy,
                whole.dram_busy + more.dram_busy +
                    sim_time(transfer_time(unwritten, gpu.dram->write_rate))});
  // The simulation includes only the residual's reads; the other reads are added to the byte
  // counts.
  const Bytes beside = epilogue_reads(problem, config.tiling);
  if (observers.requests != nullptr) {
    observers.requests->shape = problem.shape;
    observers.requests->cycles = cycles_of(seconds_of(end), sm_clock);
  }
  return {.cycles = cycles_of(seconds_of(end), sm_clock),
          .time = seconds_of(end),
          .l2_to_sm = bytes(traffic.l2_to_sm + exactly.l2_to_sm) + beside,
          .l2_output = bytes(traffic.l2_output + more.traffic.l2_output) + beside,
          .l2_far = bytes(traffic.far + more.traffic.far),
          .sm_intake = bytes(kernel.chip.sm_intake + exactly.sm_intake +
                             (kernel.sums ? kernel.sums->read() : 0)),
          .sums_written = bytes(kernel.sums ? kernel.sums->written() : 0),
          .sums_read = bytes(kernel.sums ? kernel.sums->read() : 0),
          .dram_read = bytes(traffic.dram_read + read_left_out) + Bytes{epilogue_bytes(problem)},
          .dram_write = bytes(traffic.dram_write + more.traffic.dram_write),
          .operand_reads = bytes(k_blocks * kernel.costs.front().mma.operand_bytes),
          .tensor_share = share(whole.tensor_busy + more.tensor_busy, end) /
                          static_cast<double>(kernel.chip.sms.size()),
          .l2_share = share(whole.l2_busy + more.l2_busy, end),
          .dram_share = share(whole.dram_busy + more.dram_busy, end),
          .tiles = kernel.tiles_stored + cta_tiles * kernel.parts_stored(),
          .k_blocks = k_blocks,
          .events = kernel.chip.engine.events(),
          .waves_left_out = skipped.count,
          .steady_from = seconds_of(kernel.marks.at_begin.at),
          .left_out_at = seconds_of(kernel.marks.at_end.at),
          .left_out = seconds_of(more.at),
          .simulated_part =
              static_cast<double>(kernel.k_blocks_multiplied) / static_cast<double>(k_blocks)};
}

/// Extrapolates linearly to K, from two kernels that differ only in K.
Simulated extrapolated(const Simulated& shorter, const Simulated& longer, double more,
                       const GemmProblem& problem, Hertz sm_clock) {
  Simulated all = longer;
  const auto grow = [more](auto& grown, const auto& from) { grown += (grown - from) * more; };
  const Seconds before = longer.time;
  grow(all.time, shorter.time);
  for (Bytes Simulated::*bytes :
       {&Simulated::l2_to_sm, &Simulated::l2_output, &Simulated::l2_far, &Simulated::sm_intake,
        &Simulated::dram_read, &Simulated::operand_reads}) {
    grow(all.*bytes, shorter.*bytes);
  }
  // C has the same bytes at any K, so the part that remained in L2 is not scaled.
  all.dram_write = Bytes{bytes_of_c(problem)};
  // The two lengths may contain partial blocks, which the rest of K does not.
  all.l2_to_sm = std::max(all.l2_to_sm, least_reads(problem));
  all.dram_read = possible_dram_reads(problem, all.dram_read, all.l2_to_sm);
  for (double Simulated::*share :
       {&Simulated::tensor_share, &Simulated::l2_share, &Simulated::dram_share}) {
    Seconds busy = longer.time * longer.*share;
    grow(busy, shorter.time * shorter.*share);
    all.*share = std::clamp(busy / all.time, 0.0, 1.0);
  }
  all.cycles = cycles_of(all.time, sm_clock);
  all.k_blocks += std::llround(static_cast<double>(longer.k_blocks - shorter.k_blocks) * more);
  all.simulated_part = longer.simulated_part * static_cast<double>(longer.k_blocks) /
                       static_cast<double>(all.k_blocks);
  all.events += shorter.events;
  const Seconds simulated = longer.time - longer.left_out;
  all.left_out += all.time - before;
  if (longer.left_out.value == 0) {  // in the middle of the main loop
    all.steady_from = simulated / 4;
    all.left_out_at = simulated / 2;
  }
  return all;
}

}  // namespace

bool can_simulate(const GpuSpec& gpu, const KernelConfig& config) {
  return has_tensor_core(gpu, traits_of(config.schedule).tensor_core) && gpu.l2 && gpu.machine &&
         gpu.reduction;
}

bool is_small_enough(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                     Residency residency) {
  constexpr double kMostSteps = 6e6;   // about 0.2 s on one core
  constexpr double kMostBlocks = 4e6;  // 0.4 GB
  const SimulationSize size =
      simulation_size(gpu, problem, config, static_cast<u32>(residency.workers));
  return size.steps <= kMostSteps && size.blocks <= kMostBlocks;
}

Simulated simulate_gemm(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                        Residency residency, Hertz sm_clock, Observers observers, Waves waves,
                        const Rerun* again) {
  if (!can_simulate(gpu, config)) {
    throw ConfigError(fmt::format(
        "{}: {} cannot be simulated: the file lacks one of the sections {}, l2, machine and "
        "reduction",
        gpu.name, to_text(config.schedule),
        uses_tcgen05(config.schedule)    ? "tcgen05"
        : uses_mma_sync(config.schedule) ? "mma_sync"
                                         : "wgmma"));
  }
  require_tensor_memory(config, residency);
  const std::optional<ShorterK> two =
      waves == Waves::kAll || again != nullptr
          ? std::nullopt
          : shorter_k(gpu, problem, config, static_cast<u32>(residency.workers));
  if (!two) {
    return simulate_at_k(gpu, problem, config, residency, sm_clock, observers, waves, again);
  }
  const auto at = [&](i64 k, Observers seen) {
    GemmProblem part = problem;
    part.shape.k = k;
    return simulate_at_k(gpu, part, config, residency, sm_clock, seen, waves, nullptr);
  };
  const double more = static_cast<double>(problem.shape.k - two->longer) /
                      static_cast<double>(two->longer - two->shorter);
  return extrapolated(at(two->shorter, {}), at(two->longer, observers), more, problem, sm_clock);
}

}  // namespace tilecast
