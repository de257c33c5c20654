#include "model/analytic/main_loop.h"

#include <algorithm>
#include <initializer_list>

#include "model/base/math.h"
#include "model/base/smooth_max.h"

namespace tilecast {
namespace {

// Where wgmmas bound the kernel: operand reads count as the cause from this share of their time on.
constexpr double kBoundByOperands = 0.95;

struct Resources {
  Cycles mma, intake, l2, outside;  // of one CTA's K block

  Cycles transfer() const { return std::max({intake, l2, outside}); }
};

/// Of an SM: its port into shared memory, and the copy engine that asks for the bytes.
Cycles intake_time(const KernelAt& kernel, const KBlock& block, const Loads& loads) {
  const Bytes filled = block.a_fill * loads.a_loaded + block.b_fill;
  return std::max(transfer_cycles(filled, kernel.gpu.machine->intake), loads.engine);
}

Resources resources(const KernelAt& kernel, const KBlock& block, const Loads& loads) {
  return {.mma = block.mma,
          .intake = intake_time(kernel, block, loads),
          .l2 = l2_time(kernel.tiling(), block, loads),
          .outside = loads.outside};
}

/// A stage is free, and its next loads are issued.
Cycles hand_over(const KernelAt& kernel) {
  return kernel.cycles(kernel.costs.wake + kernel.costs.issue);
}

/// The own instructions of a warpgroup that multiplies, around one K block's wgmmas, and of the
/// loads where no warp is specialised for them.
Cycles instructions(const KernelAt& kernel) {
  return kernel.cycles(kernel.costs.turn + kernel.costs.mma_issue) +
         (has_producer_warpgroup(kernel.config.schedule) ? Cycles{} : hand_over(kernel));
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
KBlockStep tcgen05_step(const KernelAt& kernel, const KBlock& block, const Resources& one,
                        const Loads& loads, double ctas) {
  const KernelConfig& config = kernel.config;
  const Tiling& t = config.tiling;
  const Cycles completion = kernel.cycles(kernel.costs.completion);
  const i32 lag = max_of(1, config.inflight);
  Cycles turn = kernel.cycles(kernel.costs.turn);
  if (config.inflight == 0) {
    turn += block.mma + completion;
  }
  const Cycles load = hand_over(kernel) + loads.latency + one.transfer();
  const Cycles held = (load + block.mma * ctas + completion) / t.stages;
  const Cycles ring =
      has_producer_warpgroup(config.schedule) ? held : std::max(held, load / (t.stages - lag));
  return longest(std::max(one.mma * ctas, turn), {{one.mma * ctas, mma_limiter(block)},
                                                  {one.intake * ctas, Limiter::kSmIntake},
                                                  {one.l2 * ctas, Limiter::kL2},
                                                  {turn, turn_limiter(config)},
                                                  {ring, Limiter::kLatency}});
}

/// A warpgroup issues a K block's wgmmas: only so many wait in the SM's queue behind the one that
/// runs.
Cycles issued_mma(const KernelAt& kernel, Cycles mma) {
  return std::max(kernel.cycles(kernel.costs.mma_issue),
                  mma - kernel.cycles(kernel.costs.mma_queue));
}

/// Of sums that are promoted: a warpgroup's K block beyond its wgmmas and the wait for the last of
/// them.
Cycles promotions(const KernelAt& kernel) {
  const KernelCosts& costs = kernel.costs;
  return costs.promoted_parts == 0
             ? Cycles{}
             : kernel.cycles(costs.promotion) * costs.promoted_parts +
                   kernel.cycles(costs.completion) * (costs.promoted_parts - 1);
}

/// From the issue of a K block's wgmmas on, how long a warpgroup cannot go on. With none left in
/// flight, until all are complete.
Cycles held_by_mma(const KernelAt& kernel, Cycles mma) {
  return kernel.config.inflight == 0 ? mma + kernel.cycles(kernel.costs.completion)
                                     : issued_mma(kernel, mma);
}

/// What a K block's loads take of each rate, and the ring or chain that its stage goes round.
struct LoadTimes {
  Cycles intake, l2, round;

  Limiter longest() const {
    return intake >= l2 && intake >= round ? Limiter::kSmIntake
           : l2 >= round                   ? Limiter::kL2
                                           : Limiter::kLatency;
  }
};

/// Resources that work at the same time delay each other where they are about equally busy: rates
/// and the ring, whose loads come in bursts, much; the tensor pipe, which has its work queued,
/// little.
KBlockStep together(Cycles mma, Cycles turn, Limiter mma_limiter, Limiter turn_limiter,
                    const LoadTimes& loads) {
  const Cycles loaded = smooth_max<kInBursts>({loads.intake, loads.l2, loads.round});
  const Cycles multiplied = std::max(mma, turn);
  const Limiter own = mma >= turn ? mma_limiter : turn_limiter;
  return {smooth_max<kQueued>({loaded, multiplied}), multiplied,
          multiplied >= loaded ? own : loads.longest()};
}

LoadTimes load_times(const Resources& one, double ctas, Cycles round) {
  return {one.intake * ctas, std::max(one.l2, one.outside) * ctas, round};
}

KBlockStep ring_step(const KernelAt& kernel, const KBlock& block, const Resources& one,
                     const Loads& loads, double ctas) {
  const KernelConfig& config = kernel.config;
  Cycles turn = instructions(kernel);
  if (config.inflight == 0) {
    turn += kernel.cycles(kernel.costs.mma + kernel.costs.completion) + promotions(kernel);
  }
  // A stage is loaded again once its wgmmas are complete; with wgmmas left in flight that is seen
  // only when those of as many later blocks are issued. The CTAs take turns on the pipe.
  const Cycles ring = (stage_load(kernel, block, loads) + hand_over(kernel) +
                       kernel.cycles(kernel.costs.turn) + held_by_mma(kernel, block.mma * ctas) +
                       promotions(kernel) - kernel.cycles(kernel.costs.promotion)) /
                      (config.tiling.stages - config.inflight);
  return together(one.mma * ctas, turn, mma_limiter(block), turn_limiter(config),
                  load_times(one, ctas, ring));
}

KBlockStep chain_step(const KernelAt& kernel, const KBlock& block, const Resources& one,
                      const Loads& loads, double ctas) {
  const Cycles turn = hand_over(kernel) + kernel.cycles(kernel.costs.turn);
  const Cycles load = stage_load(kernel, block, loads);
  const Cycles mma = one.mma + kernel.cycles(kernel.costs.completion);
  const Cycles issue = kernel.cycles(kernel.costs.mma_issue);
  const bool two = traits_of(kernel.config.schedule).buffers == Buffers::kTwo;
  const Cycles chain =
      turn + (two ? std::max(load + issued_mma(kernel, mma), issue + mma) : load + issue + mma);
  return together(one.mma * ctas, Cycles{}, mma_limiter(block), turn_limiter(kernel.config),
                  load_times(one, ctas, chain));
}

}  // namespace

Cycles stage_load(const KernelAt& kernel, const KBlock& block, const Loads& loads) {
  return loads.latency + intake_time(kernel, block, loads);
}

Cycles l2_time(const Tiling& t, const KBlock& block, const Loads& loads) {
  // Rows out of bounds are filled with zeros, which L2 does not see.
  return transfer_cycles(block.a_fill * (loads.a_existing / t.cluster_n), loads.a_l2_rate) +
         transfer_cycles(block.b_fill * (loads.b_existing / t.cluster_m), loads.b_l2_rate);
}

KBlockStep k_block_step(const KernelAt& kernel, const KBlock& block, const Loads& loads,
                        double ctas) {
  const Resources one = resources(kernel, block, loads);
  if (uses_tcgen05(kernel.config.schedule)) {
    return tcgen05_step(kernel, block, one, loads, ctas);
  }
  return has_ring(kernel.config.schedule) ? ring_step(kernel, block, one, loads, ctas)
                                          : chain_step(kernel, block, one, loads, ctas);
}

}  // namespace tilecast
