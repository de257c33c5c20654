// The epilogue of a reference: each fp32 sum times its scales (of tensors or rows), plus its bias,
// activated or gated, plus R, scaled for C, in fp64, with none of the code that the GEMM kernels
// use. `results` may be `sums` but for a gate, whose results are half as many. The largest
// magnitude is that before the scale. What fp8 cannot hold becomes its largest number.
#include "kernels/ptx/convert.cuh"
#include "kernels/verify/epilogue_inputs.h"
#include "model/base/integers.h"
#include "model/gemm/problem/activation_reference.h"

namespace tilecast {

__device__ inline double element_at(const void* elements, u64 index, ElementType type) {
  return static_cast<double>(
      type == ElementType::kFp32
          ? static_cast<const float*>(elements)[index]
          : ptx::value_of_bits(static_cast<const unsigned short*>(elements)[index], type));
}

extern "C" __global__ void __launch_bounds__(256)
    tilecast_apply_epilogue(const float* sums, float* results, EpilogueInputs in, u64 m, u64 n,
                            i32 type, i32 bias_kind, i32 activation, i32 scales) {
  const ElementType c = static_cast<ElementType>(type);
  const Activation asked = static_cast<Activation>(activation);
  const Activation each = gate_of(asked);
  const u64 together = asked != each ? 2 : 1;
  const auto before_activation = [&](u64 row, u64 column) {
    double x = static_cast<double>(sums[row * n + column]);
    if (static_cast<Scales>(scales) == Scales::kTensor) {
      x *= static_cast<double>(*in.a_scales) * static_cast<double>(*in.b_scales);
    } else if (static_cast<Scales>(scales) == Scales::kRow) {
      x *= static_cast<double>(in.a_scales[row]) * static_cast<double>(in.b_scales[column]);
    }
    if (in.bias != nullptr) {
      const u64 element = static_cast<Bias>(bias_kind) == Bias::kPerRow ? row : column;
      x += element_at(in.bias, element, half_type(c));
    }
    return x;
  };
  const u64 columns = n / together;
  const u64 stride = static_cast<u64>(gridDim.x) * blockDim.x;
  for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < m * columns;
       i += stride) {
    const u64 row = i / columns, column = i % columns;
    double x = activated(each, before_activation(row, column * together));
    if (together == 2) {
      x *= before_activation(row, column * 2 + 1);
    }
    if (in.residual != nullptr) {
      x += element_at(in.residual, row * in.residual_row + column, c);
    }
    if (in.amax != nullptr) {
      atomicMax(in.amax, __float_as_uint(static_cast<float>(fabs(x))));
    }
    if (in.scale_c != nullptr) {
      x *= static_cast<double>(*in.scale_c);
    }
    if (c == ElementType::kE4m3) {
      constexpr double kLargest = 448;
      x = x > kLargest ? kLargest : x < -kLargest ? -kLargest : x;
    }
    results[i] = static_cast<float>(x);
  }
}

}  // namespace tilecast
