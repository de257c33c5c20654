#include "model/analytic/main_loop.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "model/analytic/tensor_operation.h"
#include "model/base/math.h"

namespace tilecast {
namespace {

// Where wgmmas bound the kernel: operand reads count as the cause from this share of their time on.
constexpr double kBoundByOperands = 0.95;

struct Resources {
  Cycles mma, intake, l2;  // of one CTA's K block

  Cycles transfer() const { return std::max(intake, l2); }
};

/// Bytes of which a part is loaded and a part exists, in bytes that do: zeros from beyond the edge
/// take longer to fill.
Bytes filled(const TmaSpec& tma, Bytes fill, double existing, double loaded = 1) {
  return fill * (existing + (loaded - existing) * tma.outside_cost);
}

Resources resources(const GpuSpec& gpu, const Tiling& t, const KBlock& block, const Loads& loads) {
  return {
      .mma = block.mma,
      .intake = transfer_cycles(filled(*gpu.tma, block.a_fill, loads.a_existing, loads.a_loaded) +
                                    filled(*gpu.tma, block.b_fill, loads.b_existing),
                                gpu.sm.intake),
      .l2 = l2_time(t, block, loads)};
}

/// The own instructions of a warpgroup that multiplies, around one K block's and for each of them.
Cycles instructions(const GpuSpec& gpu, const KernelConfig& config,
                    const TensorOperation& operation) {
  return operation.block_turn +
         gpu.wgmma->issue * (operation.per_k_block / warpgroups_per_tile(config.tiling)) +
         (has_producer_warpgroup(config.schedule) ? Cycles{} : gpu.tma->issue);
}

Limiter mma_limiter(const KBlock& block) {
  return block.operands > block.mma * kBoundByOperands ? Limiter::kSharedMemory : Limiter::kTensor;
}

/// Of what a warpgroup does in sequence: where it waits for each K block's tensor operations, that.
Limiter turn_limiter(const KernelConfig& config) {
  return config.inflight == 0 ? Limiter::kLatency : Limiter::kInstructions;
}

struct Limit {
  Cycles time;
  Limiter limiter;
};

KBlockStep longest(Cycles operands_there, std::initializer_list<Limit> limits) {
  const Limit most = *std::max_element(
      limits.begin(), limits.end(), [](const Limit& a, const Limit& b) { return a.time < b.time; });
  return {most.time, operands_there, most.limiter};
}

/// Of tcgen05: one thread issues, commits make stages free. With inflight 0 a K block waits for the
/// one before, under which the stage before that is loaded; a loading warp of its own sees each
/// commit at once, the issuing warp where its next load is due.
KBlockStep tcgen05_step(const GpuSpec& gpu, const KernelConfig& config, const KBlock& block,
                        const Resources& one, const Loads& loads, double ctas) {
  const Tiling& t = config.tiling;
  const TensorOperation operation = tensor_operation(gpu, config);
  const i32 lag = max_of(1, config.inflight);
  Cycles turn = operation.block_turn;
  if (config.inflight == 0) {
    turn += block.mma + operation.completion;
  }
  const Cycles load = loads.latency + one.transfer();
  const Cycles held = (load + block.mma * ctas + operation.completion) / t.stages;
  const Cycles ring =
      has_producer_warpgroup(config.schedule) ? held : std::max(held, load / (t.stages - lag));
  return longest(std::max(one.mma * ctas, turn), {{one.mma * ctas, mma_limiter(block)},
                                                  {one.intake * ctas, Limiter::kSmIntake},
                                                  {one.l2 * ctas, Limiter::kL2},
                                                  {turn, turn_limiter(config)},
                                                  {ring, Limiter::kLatency}});
}

/// Cycles that a warpgroup which has just issued a K block's wgmmas cannot go on for: only so many
/// of an SM's wait behind the one that runs. With none left in flight, until they are complete.
Cycles held_by_mma(const GpuSpec& gpu, const KernelConfig& config, const TensorOperation& operation,
                   Cycles mma) {
  return config.inflight == 0 ? mma + operation.completion
                              : std::max(Cycles{}, mma - operation.interval * gpu.wgmma->run_ahead);
}

/// Resources that work at the same time delay each other where they are about equally busy: rates
/// and the ring, whose loads come in bursts, much; the tensor pipe, which has its work queued,
/// little.
KBlockStep together(Cycles mma, Cycles turn, Limiter mma_limiter, Limiter turn_limiter,
                    std::initializer_list<Limit> loads) {
  constexpr double kAmongLoads = 3, kWithMma = 8;  // infinity would be the maximum
  double among = 0;
  Limit most{Cycles{}, Limiter::kLatency};
  for (const Limit& limit : loads) {
    most = limit.time > most.time ? limit : most;
  }
  for (const Limit& limit : loads) {
    among += std::pow(limit.time / most.time, kAmongLoads);
  }
  const Cycles loaded = most.time * std::pow(among, 1 / kAmongLoads);
  const Cycles multiplied = std::max(mma, turn);
  const Limiter own = mma >= turn ? mma_limiter : turn_limiter;
  const Cycles longer = std::max(loaded, multiplied);
  const Cycles time = longer * std::pow(std::pow(loaded / longer, kWithMma) +
                                            std::pow(multiplied / longer, kWithMma),
                                        1 / kWithMma);
  return {time, multiplied, multiplied >= loaded ? own : most.limiter};
}

KBlockStep ring_step(const GpuSpec& gpu, const KernelConfig& config, const KBlock& block,
                     const Resources& one, const Loads& loads, double ctas) {
  const Tiling& t = config.tiling;
  const TensorOperation operation = tensor_operation(gpu, config);
  Cycles turn = instructions(gpu, config, operation);
  if (config.inflight == 0) {
    turn += block.mma / warpgroups_per_tile(t) + operation.completion;
  }
  // A stage is loaded again once its wgmmas are complete; with wgmmas left in flight that is seen
  // only when those of as many later blocks are issued. The CTAs take turns on the pipe.
  const Cycles ring = (stage_load(gpu, block, loads) + gpu.tma->stage_turn +
                       held_by_mma(gpu, config, operation, block.mma * ctas)) /
                      (t.stages - config.inflight);
  return together(one.mma * ctas, turn, mma_limiter(block), turn_limiter(config),
                  {{one.intake * ctas, Limiter::kSmIntake},
                   {one.l2 * ctas, Limiter::kL2},
                   {ring, Limiter::kLatency}});
}

KBlockStep chain_step(const GpuSpec& gpu, const KernelConfig& config, const KBlock& block,
                      const Resources& one, const Loads& loads, double ctas) {
  const TensorOperation operation = tensor_operation(gpu, config);
  const Cycles turn = instructions(gpu, config, operation);
  const Cycles load = stage_load(gpu, block, loads);
  const Cycles mma = one.mma + operation.completion;
  const Cycles chain =
      turn + (traits_of(config.schedule).buffers == Buffers::kTwo
                  ? std::max(load + held_by_mma(gpu, config, operation, block.mma * ctas), mma)
                  : load + mma);
  return together(one.mma * ctas, Cycles{}, mma_limiter(block), turn_limiter(config),
                  {{one.intake * ctas, Limiter::kSmIntake},
                   {one.l2 * ctas, Limiter::kL2},
                   {chain, Limiter::kLatency}});
}

}  // namespace

Cycles stage_load(const GpuSpec& gpu, const KBlock& block, const Loads& loads) {
  return loads.latency +
         transfer_cycles(block.a_fill * loads.a_loaded + block.b_fill, gpu.tma->fill_rate);
}

Cycles l2_time(const Tiling& t, const KBlock& block, const Loads& loads) {
  // Rows beyond the edge are filled with zeros, which L2 does not see.
  return transfer_cycles(block.a_fill * (loads.a_existing / t.cluster_n), loads.a_l2_rate) +
         transfer_cycles(block.b_fill * (loads.b_existing / t.cluster_m), loads.b_l2_rate);
}

KBlockStep k_block_step(const GpuSpec& gpu, const KernelConfig& config, const KBlock& block,
                        const Loads& loads, double ctas) {
  const Resources one = resources(gpu, config.tiling, block, loads);
  if (uses_tcgen05(config.schedule)) {
    return tcgen05_step(gpu, config, block, one, loads, ctas);
  }
  return has_ring(config.schedule) ? ring_step(gpu, config, block, one, loads, ctas)
                                   : chain_step(gpu, config, block, one, loads, ctas);
}

}  // namespace tilecast
