#include "model/gemm/sim/kernel/operand_blocks.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "model/base/error.h"
#include "model/base/math.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/sim/kernel/inside.h"
#include "model/spec/row_cost.h"

namespace tilecast {

OperandBlocks::OperandBlocks(const GpuSpec& gpu, const GemmProblem& problem,
                             const KernelConfig& config, const Side& side, u32 first_block,
                             BytesPerSecond dram_read, Hertz sm_clock)
    : slices_(static_cast<u32>(side.sharers)) {
  const MachineSpec& machine = *gpu.machine;
  const i64 block_k = config.tiling.block_k;
  const i64 slab = k_slab_elements(config.tiling);
  const i64 element = config.tiling.operand_bytes;
  const i64 pitch = side.row_elements * element;
  ragged_ = problem.shape.k % block_k != 0;
  const i64 lines_fetched = !side.slices_k && pitch % (2 * kLineBytes) == 0 ? 2 : 1;
  if (!side.slices_k) {
    const i64 together = lines_fetched * kLineBytes;
    fetched_ = static_cast<u32>(std::max<i64>(1, together / (block_k * element)));
    TILECAST_ASSERT(std::has_single_bit(fetched_));
  }
  const i64 slice_bytes = i64{side.tile} * block_k * element / side.sharers;
  const std::vector<u32> k_blocks_of = k_blocks_of_products(problem, config.tiling);
  for (i64 tile = 0; tile < i64{side.tiles} * side.matrices; ++tile) {
    // If all GEMMs share an operand, each reads it over the same K.
    const auto product = static_cast<std::size_t>(grouped_along_k(problem) ? tile / side.tiles : 0);
    const i64 all_k = grouped_along_k(problem) ? problem.groups->rows()[product] : problem.shape.k;
    const u32 k_blocks = k_blocks_of[product];
    of_tiles_.push_back({first_block + count_, k_blocks});
    count_ += slices_ * k_blocks;
    const i64 to_end = side.extent - tile % side.tiles * side.tile;
    const auto [left, own_left] = side.rows != nullptr
                                      ? (*side.rows)[static_cast<std::size_t>(tile)]
                                      : TileRow{to_end, to_end};
    const i64 loaded =
        side.step == 0 ? side.tile : a_rows_loaded(static_cast<i32>(left), side.tile, side.step);
    for (i64 slice = 0; slice < side.sharers; ++slice) {
      for (const i64 k_block : {i64{0}, i64{k_blocks} - 1}) {
        const i64 slice_k = side.slices_k ? block_k / side.sharers : block_k;
        const i64 whole_rows = side.slices_k ? side.tile : side.tile / side.sharers;
        const i64 first_row = side.slices_k ? 0 : slice * whole_rows;
        const i64 slice_rows = inside(first_row, whole_rows, loaded);
        const i64 rows = inside(first_row, slice_rows, left);
        const i64 k =
            inside(k_block * block_k + (side.slices_k ? slice * slice_k : 0), slice_k, all_k);
        // A box's rows run along the matrix's contiguous dimension: K, or the tile's dimension.
        const i64 along = side.slices_k ? rows : k;
        const i64 across = side.slices_k ? k : rows;
        const i64 row = std::min<i64>(along, side.slices_k ? kSlabElements : slab) * element;
        const Bytes bytes{static_cast<double>(along * across * element)};
        const i64 next_groups = rows - inside(first_row, rows, own_left);
        const i64 others = along * next_groups * element;
        const Bytes own = bytes - Bytes{static_cast<double>(others)};
        const double pieces = row > 0 ? bytes.value / static_cast<double>(row) : 0;
        // Each slab is a separate box, with the same number of rows whether they exist or not.
        const i64 box = side.slices_k ? kSlabElements : slab;
        const i64 rows_of_boxes = ceil_div(side.slices_k ? slice_rows : slice_k, box) *
                                  (side.slices_k ? slice_k : slice_rows);
        const i64 outside = rows_of_boxes - ceil_div(along, box) * across;
        const i64 filled_bytes = slice_bytes * slice_rows / whole_rows;
        const Bytes filled{static_cast<double>(filled_bytes)};
        const RowCost each = row_cost(std::max<i64>(row, 1), pitch);
        const auto l2 = [&](double pairs) {
          const Bytes taken{pieces * pairs * 2 * kSectorBytes};
          return sim_time(transfer_time(taken, machine.l2_output));
        };
        costs_.push_back(
            {.bytes = along * across * element,
             .sectors = std::llround(pieces * each.sectors),
             .l2 = l2(each.pairs),
             .dram = sim_time(transfer_time(own, dram_read)),
             .fill = sim_time(transfer_cycles(filled, machine.intake), sm_clock),
             .requests = sim_time(
                 machine.request * (pieces * each.lines + static_cast<double>(outside)), sm_clock),
             .unmerged = l2(each.shifted_pairs),
             .unmerged_sectors = std::llround(pieces * each.shifted_sectors),
             .outside =
                 sim_time(machine.outside * static_cast<double>(outside * lines_fetched), sm_clock),
             .others = others});
      }
    }
  }
}

i64 OperandBlocks::panel_bytes(u32 tile) const {
  i64 sum = 0;
  for (u32 slice = 0; slice < slices_; ++slice) {
    const u32 last = of_tiles_[tile].k_blocks - 1;
    sum += cost(tile, slice, 0).bytes * last + cost(tile, slice, last).bytes;
  }
  return sum;
}

}  // namespace tilecast
