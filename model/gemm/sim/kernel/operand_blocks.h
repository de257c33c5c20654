// The blocks of A, B and C that a kernel moves: a number for each, and what loading it costs.
//
// A block of A is what one CTA of a cluster loads of one K block: its slice of the tile's rows; B
// alike. Columns, K and what rows are loaded out of bounds are filled with zeros, which L2 does
// not see. Rows behind a group's last one are the next group's, which its own block reads from
// DRAM. Checked by: operand_blocks_test.cpp.
#pragma once

#include <algorithm>
#include <vector>

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/gemm/problem/group_rows.h"
#include "model/sim/chip/memory_system.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// One operand's blocks: tiles along its side of C, of all matrices, slices of a tile, K blocks.
class OperandBlocks {
 public:
  struct Side {
    i64 extent;        // rows of A, columns of B; of one product
    i32 tile;          // of those in a CTA's tile
    u32 tiles;         // of CTAs, those out of bounds included; of one matrix
    u32 matrices;      // one behind the other
    i32 sharers;       // CTAs that load a slice of it each
    bool slices_k;     // slices part K, not the tile's side (A as [k,m], B as [k,n])
    i64 row_elements;  // of the matrix as it lies in memory
    i32 step;          // of a tile's rows those that exist are loaded, in such steps; 0: all
    const std::vector<TileRow>* rows = nullptr;  // of A; then extent is not asked for
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
  /// Of all slices and K blocks of one tile.
  i64 panel_bytes(u32 tile) const;
  /// K blocks whose rows L2 reads from DRAM together: lines, or pairs of them.
  MemorySystem::Fetch fetch(u32 tile, u32 slice, u32 k_block) const {
    const u32 first = k_block & ~(fetched_ - 1);
    const u32 k_blocks = of_tiles_[tile].k_blocks;
    if (ragged_ && first + fetched_ >= k_blocks) {  // of unequal size: each on its own
      return {block(tile, slice, k_block), 1};
    }
    return {block(tile, slice, first), std::min(fetched_, k_blocks - first)};
  }
  u32 count() const { return count_; }

 private:
  struct Tile {
    u32 first, k_blocks;  // its first slice's first block
  };

  u32 slices_, count_ = 0;
  std::vector<Tile> of_tiles_;
  bool ragged_ = false;           // the last K block is not whole
  u32 fetched_ = 1;               // K blocks in what L2 reads together, a power of two
  std::vector<BlockCost> costs_;  // of each slice: a whole K block, the last one
};

}  // namespace tilecast
