// How one kernel orders its work: Schedule + Tiling + raster. A prediction and a measurement of the
// same KernelConfig describe the same kernel; its canonical text (kernel_config_text.h) joins them.
// Integers and enums only; compiled by the host compiler, nvcc and NVRTC.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"
#include "model/base/math.h"
#include "model/tile/raster.h"

namespace tilecast {

enum class Schedule : i32 {
  kPipelined,        // one tile per CTA; TMA and wgmma asynchronous over a ring of stages
  kPersistent,       // the same inside a loop over tiles, one CTA per SM slot
  kWarpSpecialized,  // persistent; one producer warpgroup, n cooperating consumer warpgroups
};

constexpr Schedule kEverySchedule[] = {Schedule::kPipelined, Schedule::kPersistent,
                                       Schedule::kWarpSpecialized};

struct Tiling {
  i32 block_m, block_n, block_k;  // CTA tile in elements
  i32 stages;                     // buffers of the A and B rings
  i32 warpgroups;                 // that issue wgmma, splitting block_m between them
  i32 cluster_m, cluster_n;       // CTAs that share B (along m) and A (along n) by multicast

  constexpr bool operator==(const Tiling&) const = default;
};

struct KernelConfig {
  Schedule schedule;
  Tiling tiling;
  i32 ctas_per_sm;  // promised to the compiler, so that registers allow it
  i32 inflight;     // wgmma groups left outstanding per warpgroup: 0, 1 or 2
  Raster raster;

  constexpr bool operator==(const KernelConfig&) const = default;
};

constexpr i32 kThreadsPerWarpgroup = 128;
constexpr i32 kWarpsPerWarpgroup = 4;
constexpr i32 kWgmmaM = 64;  // rows of one wgmma
constexpr i32 kWgmmaK = 16;  // K elements of one 16-bit wgmma

TILECAST_HD constexpr bool is_persistent(Schedule schedule) {
  return schedule != Schedule::kPipelined;
}

TILECAST_HD constexpr bool has_producer_warpgroup(Schedule schedule) {
  return schedule == Schedule::kWarpSpecialized;
}

TILECAST_HD constexpr i32 threads_per_cta(Schedule schedule, const Tiling& tiling) {
  return kThreadsPerWarpgroup * (tiling.warpgroups + (has_producer_warpgroup(schedule) ? 1 : 0));
}

TILECAST_HD constexpr i32 cluster_size(const Tiling& tiling) {
  return tiling.cluster_m * tiling.cluster_n;
}

/// Wgmmas along M that one warpgroup issues for each k16 step.
TILECAST_HD constexpr i32 wgmmas_along_m(const Tiling& tiling) {
  return tiling.block_m / (tiling.warpgroups * kWgmmaM);
}

/// fp32 accumulator registers of one consumer thread.
TILECAST_HD constexpr i32 accumulator_registers(const Tiling& tiling) {
  return tiling.block_m * tiling.block_n / (tiling.warpgroups * kThreadsPerWarpgroup);
}

/// Registers per thread once a warp-specialised CTA has moved them to its consumers. The CTA is
/// launched with 65536 / threads each; setmaxnreg takes multiples of eight, and asking for more
/// than the CTA owns would wait for ever.
struct RegisterPlan {
  i32 producer, consumer;
};

TILECAST_HD constexpr RegisterPlan register_plan(i32 consumer_warpgroups, i32 ctas_per_sm) {
  constexpr i32 kRegistersPerSm = 65536;  // of every architecture with setmaxnreg
  constexpr i32 kMost = 240;              // per thread, leaves the compiler's 255 some slack
  const i32 warpgroups = consumer_warpgroups + 1;
  const i32 at_launch =
      min_of(kMost, kRegistersPerSm / (warpgroups * kThreadsPerWarpgroup * ctas_per_sm) / 8 * 8);
  const i32 producer = consumer_warpgroups == 2 ? 24 : consumer_warpgroups == 1 ? 40 : 32;
  const i32 consumer =
      min_of(kMost, (at_launch * warpgroups - producer) / consumer_warpgroups / 8 * 8);
  return {producer, consumer};
}
static_assert(register_plan(2, 1).consumer == 240, "24 + 2 * 240 = 3 * 168");
static_assert(register_plan(3, 1).consumer == 160, "32 + 3 * 160 = 4 * 128");
static_assert(register_plan(1, 2).consumer == 216, "40 + 216 = 2 * 128");

}  // namespace tilecast
