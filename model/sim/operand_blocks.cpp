#include "model/sim/operand_blocks.h"

#include <algorithm>

#include "model/base/math.h"
#include "model/tile/smem_layout.h"

namespace tilecast {
namespace {

/// What L2 still delivers of its output for rows of this many elements.
double row_alignment(const TmaSpec& tma, i64 row_elements) {
  const i64 row_bytes = row_elements * kOperandBytes;
  if (row_bytes % 32 != 0) {
    return tma.misaligned_by_16;
  }
  if (row_bytes % 64 != 0) {
    return tma.misaligned_by_32;
  }
  return row_bytes % 128 != 0 ? tma.misaligned_by_64 : 1;
}

i64 inside(i64 first, i64 length, i64 extent) { return std::clamp<i64>(extent - first, 0, length); }

}  // namespace

OperandBlocks::OperandBlocks(const GpuSpec& gpu, const GemmProblem& problem,
                             const KernelConfig& config, const Side& side, u32 first_block,
                             Hertz sm_clock)
    : first_(first_block),
      tiles_(side.tiles),
      slices_(static_cast<u32>(side.sharers)),
      k_blocks_(static_cast<u32>(ceil_div<i64>(problem.shape.k, config.tiling.block_k))),
      slice_bytes_(i64{side.tile} * config.tiling.block_k * kOperandBytes / side.sharers) {
  const i64 block_k = config.tiling.block_k;
  const BytesPerSecond output = gpu.l2->output * row_alignment(*gpu.tma, side.row_elements);
  const BytesPerSecond dram = gpu.dram->bandwidth * gpu.dram->read_efficiency;
  for (i64 tile = 0; tile < tiles_; ++tile) {
    for (i64 slice = 0; slice < side.sharers; ++slice) {
      for (const i64 k_block : {i64{0}, i64{k_blocks_} - 1}) {
        const i64 slice_k = side.slices_k ? block_k / side.sharers : block_k;
        const i64 slice_rows = side.slices_k ? side.tile : side.tile / side.sharers;
        const i64 rows = inside(tile * side.tile + (side.slices_k ? 0 : slice * slice_rows),
                                slice_rows, side.extent);
        const i64 k = inside(k_block * block_k + (side.slices_k ? slice * slice_k : 0), slice_k,
                             problem.shape.k);
        const Bytes bytes{static_cast<double>(rows * k * kOperandBytes)};
        const Bytes outside{static_cast<double>(slice_bytes_) - bytes.value};
        costs_.push_back(
            {.bytes = rows * k * kOperandBytes,
             .l2 = sim_time(transfer_time(bytes, output)),
             .dram = sim_time(transfer_time(bytes, dram)),
             .fill = sim_time(transfer_cycles(bytes + outside, gpu.sm.intake), sm_clock),
             .zeros = sim_time(
                 transfer_cycles(outside * (gpu.tma->outside_cost - 1), gpu.sm.intake), sm_clock)});
      }
    }
  }
}

i64 OperandBlocks::panel_bytes(u32 tile) const {
  i64 sum = 0;
  for (u32 slice = 0; slice < slices_; ++slice) {
    sum += cost(tile, slice, 0).bytes * (k_blocks_ - 1) + cost(tile, slice, k_blocks_ - 1).bytes;
  }
  return sum;
}

}  // namespace tilecast
