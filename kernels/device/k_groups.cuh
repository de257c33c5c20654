// Selects the rows of A ([k,m]) and B ([k,n]) that a tile accumulates if the groups are along K and
// only the device knows where they end. Tiles are numbered as in a batch with one GEMM per group;
// an empty group has one K block of zeros, so that its C is written like any other.
//
// A group that ends inside a K block must not read the next group's rows, which have unrelated
// values: the copy engine fills zeros instead. The maps are ragged (kernels/jit/tensor_map.h): row
// i of a group of `rows` rows that ends at row `end` has y = R - rows + i, z = end and w = R, so
// rows from `rows` on are out of bounds. Ends on the device are clamped to [0, all rows]; if they
// are out of order, groups overlap or are empty. Checked by: kernels/jit/group_launch_test.cpp,
// validate/measure/gemm/random_gemm_test.cpp.
#pragma once

#include "kernels/gemm/gemm_config.h"

namespace tilecast {

/// Rows of A and B that a group covers: `rows` rows that end at row `end`.
struct KRange {
  i32 end, rows;

  __device__ i32 blocks(i32 block_k) const { return max_of(1, ceil_div(rows, block_k)); }
};

template <class Config>
__device__ inline KRange k_range(const Args<Config>& args, i32 group) {
  const i32* const ends = args.groups.rows;
  const i32 all = args.groups.capacity;
  const i32 begin = group == 0 ? 0 : min_of(max_of(ends[group - 1], 0), all);
  const i32 end = min_of(max_of(ends[group], 0), all);
  return {end, max_of(end - begin, 0)};
}

}  // namespace tilecast
