// Reference epilogue: applies the kernels' steps (model/gemm/output) to each fp32 sum, in fp64.
// `results` may alias `sums`, except with a gate, which halves the number of results. amax is taken
// before C is scaled. Values beyond the range of fp8 saturate.
#include "kernels/ptx/convert.cuh"
#include "kernels/verify/epilogue_inputs.h"
#include "model/base/integers.h"
#include "model/gemm/output/exact_math.h"
#include "model/gemm/problem/epilogue.h"

namespace tilecast {

__device__ inline double element_at(const void* elements, u64 index, ElementType type) {
  return static_cast<double>(
      type == ElementType::kFp32
          ? static_cast<const float*>(elements)[index]
          : ptx::value_of_bits(static_cast<const unsigned short*>(elements)[index], type));
}

// NVRTC does not support generic lambdas, so a visitor of steps is a struct.
struct Place {
  const EpilogueInputs& in;
  u64 row, column;
  ElementType c;
  double& x;
};
struct ApplyScale : Place {
  template <class Step>
  __device__ void operator()(Step) const {
    if constexpr (!Step::kInMainLoop) {
      const bool whole = Step::kReads.whole > 0;
      x = Step::template apply<ExactMath>(x, static_cast<double>(in.a_scales[whole ? 0 : row]),
                                          static_cast<double>(in.b_scales[whole ? 0 : column]));
    }
  }
};
struct ApplyBias : Place {
  template <class Step>
  __device__ void operator()(Step) const {
    const u64 element = Step::kReads.row > 0 ? row : column;
    x = Step::template apply<ExactMath>(x, element_at(in.bias, element, half_type(c)));
  }
};
struct ApplyActivation : Place {
  double up;  // the other column, for a gate
  template <class Step>
  __device__ void operator()(Step) const {
    if constexpr (Step::kColumns == 2) {
      x = Step::template apply<ExactMath>(x, up);
    } else {
      x = Step::template apply<ExactMath>(x);
    }
  }
};
struct ApplyLoad : Place {
  template <class Step>
  __device__ void operator()(Step) const {
    x = Step::template apply<ExactMath>(x,
                                        element_at(in.residual, row * in.residual_row + column, c));
  }
};

extern "C" __global__ void __launch_bounds__(256)
    tilecast_apply_epilogue(const float* sums, float* results, EpilogueInputs in, u64 m, u64 n,
                            i32 type, Epilogue epilogue) {
  const ElementType c = static_cast<ElementType>(type);
  const auto before_activation = [&](u64 row, u64 column) {
    double x = static_cast<double>(sums[row * n + column]);
    epilogue.visit<OutputKind::kScale>(ApplyScale{{in, row, column, c, x}});
    epilogue.visit<OutputKind::kBias>(ApplyBias{{in, row, column, c, x}});
    return x;
  };
  const u64 together = gates(epilogue) ? 2 : 1, columns = n / together;
  const u64 stride = static_cast<u64>(gridDim.x) * blockDim.x;
  for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < m * columns;
       i += stride) {
    const u64 row = i / columns, column = i % columns;
    double x = before_activation(row, column * together);
    const double up = together == 2 ? before_activation(row, column * 2 + 1) : 0;
    epilogue.visit<OutputKind::kActivate>(ApplyActivation{{in, row, column, c, x}, up});
    epilogue.visit<OutputKind::kLoad>(ApplyLoad{{in, row, column, c, x}});
    if (in.amax != nullptr) {
      atomicMax(in.amax, Amax::magnitude(__float_as_uint(static_cast<float>(x))));
    }
    if (in.scale_c != nullptr) {
      x = ScaleC::apply<ExactMath>(x, static_cast<double>(*in.scale_c));
    }
    if (c == ElementType::kE4m3) {
      constexpr double kLargest = 448;
      x = x > kLargest ? kLargest : x < -kLargest ? -kLargest : x;
    }
    results[i] = static_cast<float>(x);
  }
}

}  // namespace tilecast
