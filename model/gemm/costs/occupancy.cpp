#include "model/gemm/costs/occupancy.h"

#include <algorithm>

#include "model/base/error.h"
#include "model/base/math.h"
#include "model/gemm/config/register_plan.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/config/tensor_memory.h"
#include "model/spec/occupancy.h"

namespace tilecast {
namespace {

// Registers that ptxas of CUDA 13.0 allocates to tilecast's kernels. They depend on the kernels'
// source and the compiler, not on the GPU, so no GPU file contains them.
// Maximum that compiled kernels needed besides accumulators:
constexpr i32 kBesideAccumulators = 40;
constexpr i32 kBesideWhereSplit = 90;  // instead, if K is split: partial sums are loaded too
// If K is split, accumulators and these must also fit the registers that a thread is launched with,
// even if consumers get more later: with 128 registers every kernel of 96 accumulators spilled,
// none of 88.
constexpr i32 kBesideAtLaunchWhereSplit = 40;
// Registers that typical kernels use besides the accumulators: with one tile per CTA; with
// persistent CTAs.
constexpr i32 kUsedBesideOneTile = 26;
constexpr i32 kUsedBesideManyTiles = 34;
// Maximum of the tcgen05 kernels, which load 32 columns at a time from tensor memory and, if K is
// split, as many partial sums.
constexpr i32 kTcgen05Registers = 80;
constexpr i32 kTcgen05RegistersWhereSplit = 88;
// Registers besides accumulators and two sets of fragments in mma.sync kernels: for K blocks of two
// steps, and of more.
constexpr i32 kMmaSyncBesideTwoSteps = 48;
constexpr i32 kMmaSyncBeside = 47;
constexpr i32 kMmaSyncBesideWhereSplit = 64;
constexpr i32 kBesideOperands =
    26;  // registers that ptxas requires besides one wgmma's accumulators

i32 register_cap(const GpuSpec& gpu, const KernelConfig& config) {
  return most_registers(gpu.sm, threads_per_cta(config.schedule, config.tiling),
                        config.ctas_per_sm);
}

/// Registers live throughout the main loop: accumulators, and A if it comes from registers, four
/// per wgmma row and instruction along K; or two sets of mma.sync's fragments.
i32 held_registers(const KernelConfig& config) {
  const Tiling& t = config.tiling;
  if (uses_mma_sync(config.schedule)) {
    const i32 sixteens = warpgroup_columns(t) / kInstructionNStep;
    return accumulator_registers(t) + 2 * 4 * (wgmmas_along_m(t) + sixteens);
  }
  const i32 a =
      config.a_source == OperandSource::kRegisters ? wgmmas_along_m(t) * k_steps(t) * 4 : 0;
  return accumulator_registers(t) + a;
}

i32 tcgen05_registers(Schedule schedule) {
  return splits_k(schedule) ? kTcgen05RegistersWhereSplit : kTcgen05Registers;
}

i32 beside_fragments(const KernelConfig& config) {
  return splits_k(config.schedule)     ? kMmaSyncBesideWhereSplit
         : k_steps(config.tiling) == 2 ? kMmaSyncBesideTwoSteps
                                       : kMmaSyncBeside;
}

/// Expected registers per thread of the compiled kernel at launch.
i32 launch_registers(const GpuSpec& gpu, const KernelConfig& config) {
  const i32 cap = register_cap(gpu, config);
  if (uses_tcgen05(config.schedule)) {
    return std::min(cap, tcgen05_registers(config.schedule));
  }
  if (uses_mma_sync(config.schedule)) {
    return std::min(cap, held_registers(config) + beside_fragments(config));
  }
  if (has_producer_warpgroup(config.schedule)) {
    return cap;  // with setmaxnreg the compiler uses as many registers as it is allowed
  }
  const i32 beside = config.grid == Grid::kTiles ? kUsedBesideOneTile : kUsedBesideManyTiles;
  return std::min(cap, held_registers(config) + beside);
}

}  // namespace

bool registers_suffice(const GpuSpec& gpu, const KernelConfig& config, i32 fused) {
  const Tiling& t = config.tiling;
  const i32 cap = register_cap(gpu, config);
  if (uses_tcgen05(config.schedule)) {
    return tcgen05_registers(config.schedule) <= cap;
  }
  if (uses_mma_sync(config.schedule)) {
    return held_registers(config) + beside_fragments(config) + fused <= cap;
  }
  const i32 for_thread = has_producer_warpgroup(config.schedule)
                             ? register_plan(consumer_warpgroups(config.schedule, t),
                                             config.ctas_per_sm, config.producer_registers)
                                   .consumer
                             : cap;
  const bool splits = splits_k(config.schedule);
  const i32 beside = splits ? kBesideWhereSplit : kBesideAccumulators;
  const bool launched_with_enough =
      !splits || held_registers(config) + kBesideAtLaunchWhereSplit + fused <= cap;
  return instruction_n(config) / 2 + kBesideOperands <= cap &&
         held_registers(config) + beside + fused <= for_thread && launched_with_enough;
}

i32 ctas_by_shared_memory(const GpuSpec& gpu, const KernelConfig& config, i32 more) {
  return ctas_by_shared_memory(
      gpu.sm, Bytes{1.0 * smem_layout(config.schedule, config.tiling).total_bytes + more});
}

i32 shared_memory_for_each_of(const GpuSpec& gpu, i32 ctas) {
  const i32 shared = static_cast<i32>(gpu.sm.shared_memory.value) / ctas -
                     static_cast<i32>(gpu.sm.shared_memory_reserved_per_cta.value);
  return std::min(static_cast<i32>(gpu.sm.shared_memory_per_cta.value), shared);
}

i32 resident_ctas(const GpuSpec& gpu, const KernelConfig& config) {
  const i32 by_tensor_memory = uses_tcgen05(config.schedule)
                                   ? kTensorMemoryColumns / tensor_memory_columns(config)
                                   : gpu.sm.max_ctas;
  return std::min(
      by_tensor_memory,
      fitting_ctas(gpu.sm,
                   {threads_per_cta(config.schedule, config.tiling), launch_registers(gpu, config),
                    Bytes{1.0 * smem_layout(config.schedule, config.tiling).total_bytes}}));
}

i32 resident_workers(const GpuSpec& gpu, const KernelConfig& config) {
  const i32 per_sm = resident_ctas(gpu, config);
  switch (cluster_size(config.tiling)) {
    case 1:
      return per_sm * gpu.sm.count;
    case 2:
      return per_sm * gpu.clusters.value().max_active_of_2;
    case 4:
      return per_sm * gpu.clusters.value().max_active_of_4;
    case 8:
      return per_sm * gpu.clusters.value().max_active_of_8;
    default:
      return 0;
  }
}

}  // namespace tilecast
