// Encodes a matrix and a box as a CUtensorMap with the driver's encoder.
#pragma once

#include <cuda.h>

#include "kernels/gemm/gemm_args.h"
#include "kernels/launch/heads_view.h"
#include "kernels/launch/tensor_map_sides.h"

namespace tilecast {

using EncodeTensorMap = decltype(&cuTensorMapEncodeTiled);

inline CUtensorMapSwizzle swizzle_of(const TmaBox& box) {
  switch (box.swizzle_bytes) {
    case 0:
      return CU_TENSOR_MAP_SWIZZLE_NONE;
    case 32:
      return CU_TENSOR_MAP_SWIZZLE_32B;
    case 64:
      return CU_TENSOR_MAP_SWIZZLE_64B;
    default:
      return CU_TENSOR_MAP_SWIZZLE_128B;
  }
}

inline CUtensorMapL2promotion promotion_of(const MatrixView& matrix) {
  return matrix.fetches_pairs_of_lines ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B
                                       : CU_TENSOR_MAP_L2_PROMOTION_L2_128B;
}

inline CUtensorMapDataType data_type_of(ElementType type) {
  switch (type) {
    case ElementType::kFp32:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
    case ElementType::kBf16:
      return CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    case ElementType::kFp16:
      return CU_TENSOR_MAP_DATA_TYPE_FLOAT16;
    default:
      return CU_TENSOR_MAP_DATA_TYPE_UINT8;
  }
}

/// Out-of-bounds elements are loaded as zeros and never stored.
inline CUresult encode_tensor_map(EncodeTensorMap encode, const MatrixView& matrix,
                                  const TmaBox& box, TensorMap& map) {
  const TensorMapSides sides = sides_of(matrix, box);
  const cuuint32_t element_strides[] = {1, 1, 1, 1};
  static_assert(sizeof(TensorMap) == sizeof(CUtensorMap));
  return encode(reinterpret_cast<CUtensorMap*>(&map), data_type_of(matrix.dtype), sides.count,
                const_cast<void*>(matrix.pointer), sides.lengths, sides.strides, sides.box,
                element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle_of(box),
                promotion_of(matrix), CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/// Boxes of 64 columns, `heads` heads and `rows` rows; each row fills a swizzle row.
inline CUresult encode_heads_map(EncodeTensorMap encode, const HeadsView& view, i32 heads, i32 rows,
                                 TensorMap& map) {
  const auto whole = [](i64 number) { return static_cast<cuuint64_t>(number); };
  const i64 element = element_bytes(view.dtype);
  const cuuint64_t dims[] = {whole(view.head_dim), whole(view.group), whole(view.rows),
                             whole(view.groups), whole(view.batch)};
  const cuuint64_t strides[] = {whole(view.head_stride * element), whole(view.row_stride * element),
                                whole(view.head_stride * view.group * element),
                                whole(view.batch_stride * element)};
  const cuuint32_t box[] = {kSlabElements, static_cast<cuuint32_t>(heads),
                            static_cast<cuuint32_t>(rows), 1, 1};
  const cuuint32_t element_strides[] = {1, 1, 1, 1, 1};
  return encode(reinterpret_cast<CUtensorMap*>(&map), data_type_of(view.dtype), 5,
                const_cast<void*>(view.pointer), dims, strides, box, element_strides,
                CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                view.head_dim % 128 == 0 ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B
                                         : CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

}  // namespace tilecast
