#include "model/analytic/loads.h"

#include <algorithm>
#include <cmath>

#include "model/base/math.h"
#include "model/tile/smem_layout.h"

namespace tilecast {
namespace {

/// Elements of a row of B in memory.
i64 b_row(const GemmProblem& problem) {
  return problem.layout == Layout::kTn ? problem.shape.k : problem.shape.n;
}

/// What L2 still delivers of its output for rows of this many elements.
double row_alignment(const TmaSpec& tma, const GemmProblem& problem, i64 row_elements) {
  const i64 row_bytes = row_elements * element_bytes(problem.dtype);
  if (row_bytes % 32 != 0) {
    return tma.misaligned_by_16;
  }
  if (row_bytes % 64 != 0) {
    return tma.misaligned_by_32;
  }
  return row_bytes % 128 != 0 ? tma.misaligned_by_64 : 1;
}

/// Requests for one line that L2 sees as one.
double merged(const L2Spec& l2, double sharers, bool in_step) {
  if (in_step) {
    return std::min(l2.merge_limit, sharers);
  }
  // Requests are merged on their way out of each group of SMs: of `sharers` spread at random over
  // the groups, as many reach L2 as there are groups with at least one.
  const double reach_l2 = l2.merge_groups * (1 - std::pow(1 - 1 / l2.merge_groups, sharers));
  return std::min(l2.merge_limit, sharers / reach_l2);
}

double existing(i64 extent, i32 block) {
  return static_cast<double>(extent) / static_cast<double>(round_up<i64>(extent, block));
}

/// Of all rows of A's tiles.
double loaded(i64 m, const KernelConfig& config) {
  const Tiling& t = config.tiling;
  const i64 last = m % t.block_m;
  if (last == 0 || !loads_existing_rows(config)) {
    return 1;
  }
  const i32 of_last = a_rows_loaded(static_cast<i32>(last), t.block_m, a_rows_step(t));
  return static_cast<double>(m - last + of_last) / static_cast<double>(m - last + t.block_m);
}

/// Of a stage: the workers of a wave that share a panel wait for it together, so one that comes
/// from DRAM delays them all.
Cycles load_latency(const GpuSpec& gpu, const Tiling& t, const GemmTraffic& traffic, bool in_step,
                    Hertz sm_clock) {
  const double missing = std::max(traffic.a_missing, traffic.b_missing);
  const Seconds latency =
      gpu.tma->l2_latency + (gpu.tma->dram_latency - gpu.tma->l2_latency) * missing;
  if (cluster_size(t) == 1) {
    return cycles_of(latency, sm_clock);
  }
  // A stage of a cluster waits for the slowest of its CTAs' loads. Those from DRAM differ most, and
  // where all workers ask it for the same K blocks at once nobody runs ahead.
  constexpr double kFromDram = 0.5;
  const double slowest = in_step ? 1 + kFromDram * missing : 1;
  return cycles_of(latency, sm_clock) + gpu.tma->multicast_latency * slowest;
}

}  // namespace

Loads operand_loads(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                    const GemmTraffic& traffic, double busy_sms, bool in_step, Hertz sm_clock) {
  const GemmShape& shape = problem.shape;
  const Tiling& t = config.tiling;
  const BytesPerCycle share{gpu.l2->output.value / sm_clock.value / busy_sms};
  const auto rate = [&](double sharers, i64 row_elements) {
    return share *
           (merged(*gpu.l2, sharers, in_step) * row_alignment(*gpu.tma, problem, row_elements));
  };
  return {.latency = load_latency(gpu, t, traffic, in_step, sm_clock),
          .a_l2_rate = rate(traffic.a_sharers, shape.k),
          .b_l2_rate = rate(traffic.b_sharers, b_row(problem)),
          .a_existing = existing(shape.m, t.block_m),
          .b_existing = existing(shape.n, t.block_n),
          .a_loaded = loaded(shape.m, config)};
}

Bytes l2_output(const L2Spec& l2, const Tiling& t, const GemmTraffic& traffic, bool in_step) {
  // A multicast is put out once for the CTAs that share it.
  const double a = static_cast<double>(t.block_m) / t.cluster_n;
  const double b = static_cast<double>(t.block_n) / t.cluster_m;
  const double once =
      a / merged(l2, traffic.a_sharers, in_step) + b / merged(l2, traffic.b_sharers, in_step);
  return traffic.l2_to_sm * (once / (a + b));
}

double off_line_share(const GemmProblem& problem, const Tiling& t) {
  constexpr i64 kLine = 128;
  const auto off = [&](i64 row_elements) {
    return row_elements * element_bytes(problem.dtype) % kLine != 0 ? 1.0 : 0.0;
  };
  const double a = static_cast<double>(t.block_m) / t.cluster_n;
  const double b = static_cast<double>(t.block_n) / t.cluster_m;
  return (a * off(problem.shape.k) + b * off(b_row(problem))) / (a + b);
}

}  // namespace tilecast
