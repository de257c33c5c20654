// Dimensions, strides and box of a tensor map, for a matrix or for attention heads, as
// cuTensorMapEncodeTiled expects them.
#pragma once

#include <cstdint>

#include "kernels/gemm/gemm_args.h"
#include "kernels/launch/heads_view.h"
#include "kernels/launch/matrix_view.h"

namespace tilecast {

/// The contiguous dimension comes first; its stride is implicit. Strides are in bytes.
struct TensorMapSides {
  u32 count;
  std::uint64_t lengths[5], strides[4];
  u32 box[5];
  i32 swizzle_bytes;            // swizzle; rows of the box are contiguous if 0
  bool fetches_pairs_of_lines;  // L2 fetches 256 bytes for a load of 128
};

// Size of a dimension that has no out-of-bounds elements.
constexpr std::uint64_t kUnbounded = 0x7fffffff;
// most_ragged_rows() steps of this many bytes are 2^64 bytes, so addresses wrap around to their
// start. Triton's ragged descriptors rely on that, too (triton/tools/ragged_tma.py).
constexpr i64 kWrapsAround = i64{1} << 34;
static_assert(most_ragged_rows() == 1 << 30);

inline TensorMapSides sides_of(const MatrixView& matrix, const TmaBox& box) {
  const auto length = [](i64 value) { return static_cast<std::uint64_t>(value); };
  const i64 element = element_bytes(matrix.dtype);
  const i64 row = (matrix.row_stride == 0 ? matrix.columns : matrix.row_stride) * element;
  const bool runs = matrix.ragged_rows;
  return {.count = runs                   ? 4u
                   : matrix.matrices == 0 ? 2u
                                          : 3u,
          .lengths = {length(matrix.columns), length(runs ? most_ragged_rows() : matrix.rows),
                      runs ? kUnbounded : length(matrix.matrices), kUnbounded},
          .strides = {length(row), length(runs ? row : matrix.matrix_stride * element),
                      length(kWrapsAround - row)},
          .box = {static_cast<u32>(box.columns), static_cast<u32>(box.rows), 1, 1},
          .swizzle_bytes = box.swizzle_bytes,
          .fetches_pairs_of_lines = matrix.fetches_pairs_of_lines};
}

/// Dimensions: columns, heads of a group, rows, groups, batch; the box has 64 columns.
inline TensorMapSides sides_of(const HeadsView& view, const HeadsBox& box) {
  const auto length = [](i64 value) { return static_cast<std::uint64_t>(value); };
  const i64 element = element_bytes(view.dtype);
  return {.count = 5,
          .lengths = {length(view.head_dim), length(view.heads), length(view.rows),
                      length(view.sets), length(view.batch)},
          .strides = {length(view.head_stride * element), length(view.row_stride * element),
                      length(view.head_stride * view.heads * element),
                      length(view.batch_stride * element)},
          .box = {kSlabElements, static_cast<u32>(box.heads), static_cast<u32>(box.rows), 1, 1},
          .swizzle_bytes = 128,
          .fetches_pairs_of_lines = view.head_dim % 128 == 0};
}

}  // namespace tilecast
