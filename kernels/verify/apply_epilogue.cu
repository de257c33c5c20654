// The epilogue of a reference: in place, each fp32 sum times its scales (of tensors or rows), plus
// its bias and activated, in fp64, with none of the code that the GEMM kernels use.
#include "kernels/ptx/convert.cuh"
#include "model/base/integers.h"
#include "model/tile/activation_reference.h"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(256)
    tilecast_apply_epilogue(float* sums, const unsigned short* bias, const float* a_scales,
                            const float* b_scales, u64 m, u64 n, i32 type, i32 bias_kind,
                            i32 activation, i32 scales) {
  const u64 stride = static_cast<u64>(gridDim.x) * blockDim.x;
  for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < m * n; i += stride) {
    double x = static_cast<double>(sums[i]);
    if (static_cast<Scales>(scales) == Scales::kTensor) {
      x *= static_cast<double>(*a_scales) * static_cast<double>(*b_scales);
    } else if (static_cast<Scales>(scales) == Scales::kRow) {
      x *= static_cast<double>(a_scales[i / n]) * static_cast<double>(b_scales[i % n]);
    }
    if (bias != nullptr) {
      const u64 element = static_cast<Bias>(bias_kind) == Bias::kPerRow ? i / n : i % n;
      x += static_cast<double>(ptx::value_of_bits(bias[element], static_cast<ElementType>(type)));
    }
    sums[i] = static_cast<float>(activated(static_cast<Activation>(activation), x));
  }
}

}  // namespace tilecast
