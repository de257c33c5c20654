// Numbers the blocks of A and B that a kernel loads, and computes the cost of each.
//
// A block of A is one CTA's share of a K block, its slice of the tile's rows; a block of B is a
// slice of the tile's columns. Out-of-bounds parts that are loaded are filled with zeros without a
// read of L2. Rows after a group's last row belong to the next group, and that group's block reads
// them from DRAM. Checked by: operand_blocks_test.cpp.
#pragma once

#include <algorithm>
#include <vector>

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/gemm/problem/group_rows.h"
#include "model/sim/chip/memory_system.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// The blocks of one operand, indexed by tile along its dimension of C (over all matrices), slice
/// of the tile, and K block.
class OperandBlocks {
 public:
  struct Side {
    i64 extent;        // rows of A or columns of B, per GEMM
    i32 tile;          // rows or columns per CTA tile
    u32 tiles;         // CTA tiles per matrix, including out-of-bounds ones
    u32 matrices;      // number of matrices, contiguous in memory
    i32 sharers;       // CTAs that load a slice each
    bool slices_k;     // slices divide K and not the tile's dimension (A as [K,M], B as [K,N])
    i64 row_elements;  // elements per row in memory
    // granularity in which rows inside the matrix are loaded; 0: all rows of the tile are
    i32 step;
    const std::vector<TileRow>* rows = nullptr;  // rows of tiles, for A; `extent` is then unused
  };

  OperandBlocks(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                const Side& side, u32 first_block, BytesPerSecond dram_read, Hertz sm_clock);

  u32 block(u32 tile, u32 slice, u32 k_block) const {
    const Tile& of = of_tiles_[tile];
    return of.first + slice * of.k_blocks + k_block;
  }
  const BlockCost& cost(u32 tile, u32 slice, u32 k_block) const {
    return costs_[(tile * slices_ + slice) * 2 + (k_block + 1 == of_tiles_[tile].k_blocks ? 1 : 0)];
  }
  /// Bytes of all slices and K blocks of one tile.
  i64 panel_bytes(u32 tile) const;
  /// Returns the K blocks that L2 reads from DRAM together, because they share lines or pairs of
  /// lines.
  MemorySystem::Fetch fetch(u32 tile, u32 slice, u32 k_block) const {
    const u32 first = k_block & ~(fetched_ - 1);
    const u32 k_blocks = of_tiles_[tile].k_blocks;
    // the sizes differ, so blocks are read individually
    if (ragged_ && first + fetched_ >= k_blocks) {
      return {block(tile, slice, k_block), 1};
    }
    return {block(tile, slice, first), std::min(fetched_, k_blocks - first)};
  }
  u32 count() const { return count_; }

 private:
  struct Tile {
    u32 first, k_blocks;  // index of the first block of its first slice
  };

  u32 slices_, count_ = 0;
  std::vector<Tile> of_tiles_;
  bool ragged_ = false;           // the last K block is partial
  u32 fetched_ = 1;               // K blocks read together, a power of two
  std::vector<BlockCost> costs_;  // costs of each slice: of a whole K block, and of the last one
};

}  // namespace tilecast
