// Encodes a view and a box as a CUtensorMap with the driver's encoder.
#pragma once

#include <cuda.h>

#include "kernels/gemm/gemm_args.h"
#include "kernels/launch/tensor_map_sides.h"

namespace tilecast {

using EncodeTensorMap = decltype(&cuTensorMapEncodeTiled);

inline CUtensorMapSwizzle swizzle_of(const TensorMapSides& sides) {
  switch (sides.swizzle_bytes) {
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

/// Encodes a matrix. Elements out of bounds are loaded as zeros and never stored.
template <class View, class Box>
CUresult encode_tensor_map(EncodeTensorMap encode, const View& view, const Box& box,
                           TensorMap& map) {
  const TensorMapSides sides = sides_of(view, box);
  const cuuint32_t element_strides[] = {1, 1, 1, 1, 1};
  static_assert(sizeof(TensorMap) == sizeof(CUtensorMap));
  return encode(reinterpret_cast<CUtensorMap*>(&map), data_type_of(view.dtype), sides.count,
                const_cast<void*>(view.pointer), sides.lengths, sides.strides, sides.box,
                element_strides, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle_of(sides),
                sides.fetches_pairs_of_lines ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B
                                             : CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

}  // namespace tilecast
