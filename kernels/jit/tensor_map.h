// Tensor maps: how the bulk copy engine addresses a row-major matrix. The driver's encoder is found
// through the runtime, so nothing links libcuda.
#pragma once

#include "kernels/gemm/gemm_args.h"

namespace tilecast {

/// A tight row-major matrix of 16-bit elements in device memory, 16-byte aligned.
struct MatrixView {
  const void* pointer;
  i64 rows, columns;  // columns: a multiple of 8
  ElementType dtype;
};

/// Loads beyond the edge bring zeros, stores there are dropped. Throws DeviceError where the driver
/// has no encoder, Error where it refuses the matrix or the box.
TensorMap make_tensor_map(const MatrixView& matrix, const TmaBox& box);

}  // namespace tilecast
