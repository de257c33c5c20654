// For tests: a GPU of four SMs with round numbers, for expected times computed by hand at an SM
// clock of 1 GHz, where a cycle is a nanosecond.
#pragma once

#include "model/gemm/sim/limits.h"
#include "model/gemm/sim/simulate.h"

namespace tilecast {

constexpr Hertz kExampleClock{1e9};

inline GpuSpec example_gpu() {
  GpuSpec gpu{};
  gpu.sm.count = 4;
  gpu.clusters = {.max_active_of_2 = 2, .max_active_of_4 = 1};
  gpu.wgmma = {.flops_per_sm = {4096}, .operand_rate = {128}};
  gpu.l2 = {.capacity = {1e8}, .usable_fraction = 0.5};
  gpu.dram = {.bandwidth = {200e9}, .read_rate = {100e9}, .write_rate = {100e9}};
  gpu.reduction = {.hop = {500e-9},
                   .sm_store = {32},
                   .sm_add = {32},
                   .sm_load = {32},
                   .chip_store = {1e12},
                   .chip_add = {1e12}};
  gpu.machine = {.wgmma_completion = {60},
                 .turn = {100},
                 .mma_queue = 1000,
                 .issue = {50},
                 .request = {2},
                 .outside = {1},
                 .intake = {64},
                 .l2_latency = {400},
                 .dram_latency = {300e-9},
                 .gpcs = 2,
                 .gpc_groups = 0,  // L2 serves in request order
                 .merge_window = {400},
                 .merge_limit = 2,
                 .l2_output = {256 * kExampleClock.value},
                 .epilogue = {200},
                 .chunk = {100},
                 .store_latency = {150},
                 .store_read = {32},
                 .fused_issue = 80,
                 .fused_special = 16,
                 .fp32_additions = 128,
                 .pairs_converted = 64,
                 .promotion_shown = 0.3125,
                 .drift = 1.5,
                 .kernel = {800e-9},
                 .cluster = {500e-9},
                 .cta_start = {700e-9},
                 .cta_restart = {700},
                 .cta_refill = {200}};
  return gpu;
}

/// Returns a GPU on which only this part has costs; all others are infinitely fast, and no requests
/// merge.
inline GpuSpec only(Limiter part) {
  GpuSpec gpu = example_gpu();
  gpu.machine->merge_window = {};
  for (const Limiter other : kEveryLimiter) {
    gpu = other == part ? gpu : without(gpu, other);
  }
  return gpu;
}

/// Tile 64x64x64 with one warpgroup; the schedule's simplest configuration.
inline KernelConfig plain(Schedule schedule) {
  KernelConfig config = fixed_by_schedule(schedule);
  config.tiling.block_m = config.tiling.block_n = config.tiling.block_k = 64;
  if (has_ring(config.schedule)) {
    config.tiling.stages = 4;
  }
  config.tiling.c_slots = 2;
  config.raster = {RasterKind::kGroupedM, 2, Walk::kStrided};
  return config;
}

inline Residency one_cta_per_sm(const KernelConfig& config) {
  return {1, 4 / cluster_size(config.tiling)};
}

inline Simulated simulate_example(const GpuSpec& gpu, const GemmProblem& problem,
                                  const KernelConfig& config, Observers observers = {}) {
  return simulate_gemm(gpu, problem, config, one_cta_per_sm(config), kExampleClock, observers);
}

}  // namespace tilecast
