// For tests: the GPU of example_gpu.h with Blackwell's tensor cores, also with round numbers.
#pragma once

#include <algorithm>
#include <initializer_list>

#include "model/gemm/sim/example_gpu.h"

namespace tilecast {

inline GpuSpec example_blackwell() {
  GpuSpec gpu = example_gpu();
  gpu.wgmma.reset();
  gpu.tcgen05 = {.flops_per_sm = {8192},
                 .operand_rate = {128},
                 .issue_overhead = {},
                 .latency = {130},
                 .pair_latency = {170},
                 .block_turn = {10},
                 .tensor_memory_read = {4096}};
  gpu.machine->merge_window = {};  // no merging of requests
  return gpu;
}

/// Returns a GPU on which only these parts have costs; all others are infinitely fast.
inline GpuSpec only_on_blackwell(std::initializer_list<Limiter> parts) {
  GpuSpec gpu = example_blackwell();
  for (const Limiter other : kEveryLimiter) {
    gpu = std::ranges::find(parts, other) != parts.end() ? gpu : without(gpu, other);
  }
  return gpu;
}

/// One CTA's tile is 128x64x64, with four storing warps; the schedule's simplest configuration.
/// `group`: CTAs that share an instruction.
inline KernelConfig plain_tcgen05(Schedule schedule, i32 group = 1) {
  KernelConfig config = fixed_by_schedule(schedule);
  config.tiling.block_m = 128;
  config.tiling.block_n = config.tiling.block_k = 64;
  config.tiling.stages = 4;
  config.tiling.c_slots = 2;
  config.tiling.cluster_m = group;
  config.inflight = 2;
  config.raster = {RasterKind::kGroupedM, 2, Walk::kStrided};
  if (traits_of(schedule).accumulators_are_open) {
    config.grid = Grid::kResident;
    config.accumulators = 2;
  }
  config.decomposition.splits = splits_k(schedule) ? 1 : 0;
  return config;
}

}  // namespace tilecast
