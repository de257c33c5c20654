#include "model/gemm/costs/tensor_operation.h"

#include <algorithm>

#include "model/base/smooth_max.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/problem/operand_copies.h"
#include "model/spec/row_cost.h"

namespace tilecast {
namespace {

// Elements of K per instruction, counted as 16-bit operands (tensor_flops).
constexpr i32 kHalves = kInstructionKBytes / kHalfBytes;
constexpr i32 bytes_of_step(i32 rows) { return rows * kInstructionKBytes; }

TensorOperation wgmma_operation(const WgmmaSpec& wgmma, const MachineSpec& machine,
                                const KernelConfig& config) {
  const Tiling& t = config.tiling;
  const i32 n = instruction_n(config);
  const i32 bytes = bytes_of_step(n + (config.a_source == OperandSource::kShared ? kWgmmaM : 0));
  const Cycles tensor = compute_cycles(Flops{2.0 * kWgmmaM * n * kHalves}, wgmma.flops_per_sm);
  const Cycles operands = transfer_cycles(Bytes{static_cast<double>(bytes)}, wgmma.operand_rate);
  return {.interval = std::max({tensor, operands, machine.wgmma_least}),
          .operands = operands,
          .operand_bytes = bytes,
          .per_k_block = wgmmas_along_m(t) * wgmmas_along_n(config) * k_steps(t),
          .issuers = warpgroups_per_tile(t),
          .completion = machine.wgmma_completion,
          .turn = machine.turn};
}

/// Time at shared memory's port of a K block's copies: half a cycle for each row of a side, whose
/// K block is a line or half of one, and a cycle for each further sector that rows touch which
/// start inside a sector.
Cycles copies_at_port(const GemmProblem& problem, const Tiling& t) {
  const auto of_side = [&](bool k_major, i32 side, i64 row) {
    const i64 bytes = (k_major ? t.block_k : side) * t.operand_bytes;
    const i64 piece = std::min(bytes, kLineBytes);
    const double pieces = static_cast<double>((k_major ? side : t.block_k) * bytes / piece);
    const double sectors = row_cost(piece, row * element_bytes(problem.dtype)).sectors;
    return 0.5 * side + pieces * (sectors - static_cast<double>(piece / kSectorBytes));
  };
  return Cycles{of_side(a_is_k_major(problem.layout), t.block_m, a_row(problem)) +
                of_side(b_is_k_major(problem.layout), t.block_n, b_row(problem))};
}

/// Operation per 64 rows of a warpgroup and K step. Each of its four warps reads all of B's
/// columns, once for all of its rows; the copies of the K block share the port. A CTA's warps start
/// each K block together, so that ldmatrix and mma.sync overlap only in part, and less if one warp
/// of each scheduler does both.
TensorOperation mma_sync_operation(const MmaSyncSpec& mma, const MachineSpec& machine,
                                   const GemmProblem& problem, const KernelConfig& config) {
  const Tiling& t = config.tiling;
  const i32 n = instruction_n(config), rows = wgmmas_along_m(t), issuers = warpgroups_per_tile(t);
  const i32 per_k_block = rows * wgmmas_along_n(config) * k_steps(t);
  const auto at_port = [&](i32 bytes) {
    return transfer_cycles(Bytes{static_cast<double>(bytes)}, mma.operand_rate);
  };
  const i32 fragments = bytes_of_step(kWgmmaM + kWarpsPerWarpgroup * n / rows);
  const double copies = copies_at_port(problem, t).value * mma.operand_rate.value;
  const i32 bytes = fragments + static_cast<i32>(copies) / (per_k_block * issuers);
  const Cycles tensor = compute_cycles(Flops{2.0 * kWgmmaM * n * kHalves}, mma.flops_per_sm);
  const Cycles operands = at_port(bytes);
  return {.interval = issuers == 1 ? smooth_max<kAlternating>({tensor, operands})
                                   : smooth_max<kInBursts>({tensor, operands}),
          .operands = operands,
          .operand_bytes = bytes,
          .per_k_block = per_k_block,
          .issuers = issuers,
          .completion = mma.latency,
          .turn = mma.operand_latency + machine.barrier,
          .copies_exposed = k_steps(t) == 2 && at_port(fragments) <= tensor};
}

/// Each CTA of a pair computes its own rows, and reads its rows of A and half of B.
TensorOperation tcgen05_operation(const Tcgen05Spec& tcgen05, const KernelConfig& config) {
  const Tiling& t = config.tiling;
  const i32 bytes = bytes_of_step(t.block_m + t.block_n / cta_group(t));
  const Cycles tensor =
      compute_cycles(Flops{2.0 * t.block_m * t.block_n * kHalves}, tcgen05.flops_per_sm);
  const Cycles operands = transfer_cycles(Bytes{static_cast<double>(bytes)}, tcgen05.operand_rate);
  return {.interval = std::max(tensor, operands) + tcgen05.issue_overhead,
          .operands = operands,
          .operand_bytes = bytes,
          .per_k_block = k_steps(t),
          .issuers = 1,
          .completion = cta_group(t) == 2 ? tcgen05.pair_latency : tcgen05.latency,
          .turn = tcgen05.block_turn};
}

}  // namespace

TensorOperation tensor_operation(const GpuSpec& gpu, const GemmProblem& problem,
                                 const KernelConfig& config) {
  switch (traits_of(config.schedule).tensor_core) {
    case TensorCore::kTcgen05:
      return tcgen05_operation(gpu.tcgen05.value(), config);
    case TensorCore::kMmaSync:
      return mma_sync_operation(gpu.mma_sync.value(), gpu.machine.value(), problem, config);
    case TensorCore::kWgmma:
      break;
  }
  return wgmma_operation(gpu.wgmma.value(), gpu.machine.value(), config);
}

TensorCore menu_tensor_core(const GpuSpec& gpu) {
  return gpu.tcgen05                  ? TensorCore::kTcgen05
         : gpu.mma_sync && !gpu.wgmma ? TensorCore::kMmaSync
                                      : TensorCore::kWgmma;
}

bool has_tensor_core(const GpuSpec& gpu, TensorCore core) {
  switch (core) {
    case TensorCore::kWgmma:
      return gpu.wgmma.has_value();
    case TensorCore::kTcgen05:
      return gpu.tcgen05.has_value();
    case TensorCore::kMmaSync:
      return gpu.mma_sync.has_value();
  }
  return false;  // not a tensor core
}

}  // namespace tilecast
