// Computes the registers per thread after a warp-specialized CTA has moved them from its producer
// to its consumers. Threads launch with equal shares. setmaxnreg moves registers in multiples of
// eight; a CTA that requests more than it owns would hang.
#pragma once

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/config/smem_layout.h"

namespace tilecast {

constexpr i32 kRegistersPerSm = 65536;        // register file of every architecture with setmaxnreg
constexpr i32 kMostConsumerRegisters = 240;   // below the compiler's limit of 255, to leave slack
constexpr i32 kRegisterStep = 8;              // granularity of setmaxnreg and of allocation at
                                              // launch
constexpr i32 kFewestProducerRegisters = 24;  // minimum of setmaxnreg

struct RegisterPlan {
  i32 producer, consumer;
  i32 at_launch;  // per thread; the producer can only release some of these
};

TILECAST_HD constexpr RegisterPlan register_plan(i32 consumer_warpgroups, i32 ctas_per_sm,
                                                 i32 producer_registers) {
  const i32 warpgroups = consumer_warpgroups + 1;
  const i32 share = kRegistersPerSm / (warpgroups * kThreadsPerWarpgroup * ctas_per_sm);
  const i32 at_launch = min_of(kMostConsumerRegisters, share / kRegisterStep * kRegisterStep);
  const i32 left = at_launch * warpgroups - producer_registers;
  const i32 each = left / consumer_warpgroups / kRegisterStep * kRegisterStep;
  return {producer_registers, min_of(kMostConsumerRegisters, each), at_launch};
}
static_assert(register_plan(2, 1, 24).consumer == 240, "24 + 2 * 240 = 3 * 168");
static_assert(register_plan(2, 1, 40).consumer == 232, "40 + 2 * 232 = 3 * 168");
static_assert(register_plan(3, 1, 32).consumer == 160, "32 + 3 * 160 = 4 * 128");
static_assert(register_plan(1, 2, 40).consumer == 216, "40 + 216 = 2 * 128");

/// Number of registers that suffices for the producer's tile scheduler. The consumers get the rest,
/// in multiples of eight.
TILECAST_HD constexpr i32 default_producer_registers(i32 consumer_warpgroups) {
  return consumer_warpgroups == 3 ? 32 : 40;
}

/// Registers that a thread with a deferred store needs besides the accumulators and the waiting
/// chunks: compiled kernels spill with 24. The second constant is for epilogues that scale, or load
/// the old C, before packing.
constexpr i32 kBesideDeferred = 28;
constexpr i32 kBesideDeferredScaled = 60;

/// Number of chunks of a finished tile that wait in registers, as pairs of 16-bit elements, during
/// the next tile's main loop: as many as fit besides the accumulators of that loop. Chunks are in
/// row order (smem_layout.h); the last one of a row may be narrower. Returns 0 without a deferred
/// store.
TILECAST_HD constexpr i32 deferred_chunks(const KernelConfig& config,
                                          i32 beside = kBesideDeferred) {
  if (config.store != Store::kDeferred) {
    return 0;
  }
  const Tiling& t = config.tiling;
  i32 room = register_plan(consumer_warpgroups(config.schedule, t), config.ctas_per_sm,
                           config.producer_registers)
                 .consumer -
             accumulator_registers(t) - beside;
  const i32 across = ceil_div(warpgroup_columns(t), c_slot_columns(t));
  i32 deferred = 0;
  for (i32 chunk = c_chunks(t) - 1; chunk >= 0; --chunk) {
    const i32 column = chunk % across * c_slot_columns(t);
    const i32 columns = min_of(c_slot_columns(t), warpgroup_columns(t) - column);
    room -= kWgmmaM * columns / kThreadsPerWarpgroup / 2;
    if (room < 0) {
      break;
    }
    ++deferred;
  }
  return deferred;
}

}  // namespace tilecast
