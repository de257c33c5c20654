// Makes tensor maps, with which TMA addresses one or several row-major matrices of the same shape.
// The driver's encoder is looked up through the runtime, so nothing links libcuda.
#pragma once

#include "kernels/gemm/gemm_args.h"
#include "kernels/launch/heads_view.h"
#include "kernels/launch/matrix_view.h"

namespace tilecast {

/// Encodes a tensor map for a matrix. Out-of-bounds loads give zeros; out-of-bounds stores are
/// dropped. Throws DeviceError if the driver has no encoder, Error if it rejects the matrix or the
/// box.
TensorMap make_tensor_map(const MatrixView& matrix, const TmaBox& box);

/// Encodes a tensor map for attention heads, in boxes of 64 columns. Throws like the overload
/// above.
TensorMap make_tensor_map(const HeadsView& view, const HeadsBox& box);

}  // namespace tilecast
