// Registers per thread once a warp-specialised CTA has moved them from its producer to its
// consumers. A CTA is launched with an equal share each; setmaxnreg takes multiples of eight, and
// asking for more than the CTA owns would wait for ever.
#pragma once

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/config/smem_layout.h"

namespace tilecast {

constexpr i32 kRegistersPerSm = 65536;        // of every architecture with setmaxnreg
constexpr i32 kMostConsumerRegisters = 240;   // leaves the compiler's 255 some slack
constexpr i32 kRegisterStep = 8;              // of setmaxnreg, and of allocation at launch
constexpr i32 kFewestProducerRegisters = 24;  // what setmaxnreg takes at least

struct RegisterPlan {
  i32 producer, consumer;
  i32 at_launch;  // of every thread; the producer can only give up some of these
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

/// Enough for the walk over tiles; the consumers get whole steps of what is left.
TILECAST_HD constexpr i32 default_producer_registers(i32 consumer_warpgroups) {
  return consumer_warpgroups == 3 ? 32 : 40;
}

/// What a thread that defers a store needs beside the accumulators and what waits: compiled kernels
/// spill with 24; and where it scales and reads the old C before it packs.
constexpr i32 kBesideDeferred = 28;
constexpr i32 kBesideDeferredScaled = 60;

/// Last chunks of a finished tile's part that wait in registers, as pairs of 16-bit elements, while
/// the next one is multiplied: as many as fit beside its accumulators. Chunks lie row by row
/// (smem_layout.h), the last of a row may be narrower. 0 where nothing is put off.
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
