#include "kernels/jit/tensor_map.h"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include "kernels/jit/cuda_error.h"
#include "kernels/launch/encode_tensor_map.h"
#include "model/base/refuse.h"

namespace tilecast {
namespace {

constexpr unsigned kEncoderSince = 12000;  // CUDA version of the requested function signature

EncodeTensorMap find_encoder() {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  TILECAST_CUDA(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, kEncoderSince,
                                                 cudaEnableDefault, &found));
  refuse_if<DeviceError>(
      found != cudaDriverEntryPointSuccess || function == nullptr,
      "the NVIDIA driver is too old: it has no cuTensorMapEncodeTiled (CUDA 12.0)");
  return reinterpret_cast<EncodeTensorMap>(function);
}

EncodeTensorMap encoder() {
  static const EncodeTensorMap encode = find_encoder();
  return encode;
}

}  // namespace

TensorMap make_tensor_map(const MatrixView& matrix, const TmaBox& box) {
  TensorMap map{};
  const CUresult result = encode_tensor_map(encoder(), matrix, box, map);
  if (result != CUDA_SUCCESS) {
    throw Error(ExitCode::kWrong,
                fmt::format("cuTensorMapEncodeTiled: error {}: {}x{} matrix at {}, box of {}x{}",
                            static_cast<int>(result), matrix.rows, matrix.columns, matrix.pointer,
                            box.rows, box.columns));
  }
  return map;
}

TensorMap make_tensor_map(const HeadsView& view, const HeadsBox& box) {
  TensorMap map{};
  const CUresult result = encode_tensor_map(encoder(), view, box, map);
  if (result != CUDA_SUCCESS) {
    throw Error(
        ExitCode::kWrong,
        fmt::format("cuTensorMapEncodeTiled: error {}: {} rows x {} heads x head_dim {} at {}, "
                    "box of {} heads x {} rows",
                    static_cast<int>(result), view.rows, view.heads * view.sets, view.head_dim,
                    view.pointer, box.heads, box.rows));
  }
  return map;
}

}  // namespace tilecast
