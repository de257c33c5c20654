// Tensor maps: how the bulk copy engine addresses a row-major matrix. The driver's encoder is found
// through the runtime, so nothing links libcuda.
#pragma once

#include "kernels/gemm/gemm_args.h"

namespace tilecast {

/// A row-major matrix in device memory, 16-byte aligned.
struct MatrixView {
  const void* pointer;
  i64 rows, columns;
  ElementType dtype;
  i64 row_stride = 0;  // elements between rows, whole 16 bytes; 0: as many as columns
  bool fetches_pairs_of_lines = false;  // L2 reads 256 bytes where a load asks for 128 of them
};

/// Out-of-bounds loads bring zeros, stores there are dropped. Throws DeviceError where the driver
/// has no encoder, Error where it refuses the matrix or the box.
TensorMap make_tensor_map(const MatrixView& matrix, const TmaBox& box);

}  // namespace tilecast
