// Compares an output of 1, 2 or 4 bytes per element with an fp32 reference, element by element and
// in the norm. An element may differ by `relative` times its reference plus `absolute` and, if
// `deviations` are given, plus `deviates` times its deviation. NaN is wrong; if an infinity is
// expected, everything else is wrong. The reference is contiguous. The gaps between the output's
// rows of `columns` elements must still be poisoned; nothing is checked after the last row.
#include "kernels/ptx/convert.cuh"
#include "kernels/verify/check_output.h"
#include "kernels/verify/warp_sum.cuh"
#include "model/base/integers.h"

namespace tilecast {

/// Value of an element, and whether it is still poisoned.
struct Element {
  float value;
  bool poison;

  __device__ static Element at(const void* output, u64 index, ElementType type) {
    if (type == ElementType::kFp32) {
      const u32 bits = static_cast<const u32*>(output)[index];
      return {__uint_as_float(bits), bits == 0xffffffffu};
    }
    if (type == ElementType::kE4m3) {
      const unsigned char bits = static_cast<const unsigned char*>(output)[index];
      const u32 pair = ptx::fp16_pair_of(bits, type);
      return {ptx::value_of_bits(static_cast<unsigned short>(pair), ElementType::kFp16),
              bits == kPoisonByte};
    }
    const unsigned short bits = static_cast<const unsigned short*>(output)[index];
    return {ptx::value_of_bits(bits, type), bits == kPoisonBits};
  }
};

extern "C" __global__ void __launch_bounds__(256)
    tilecast_check_output(const void* output, const float* reference, u64 count, u64 columns,
                          u64 row_stride, i32 type, float relative, float absolute,
                          const float* deviations, float deviates, OutputCheck* check) {
  double squares = 0;
  float largest = 0;
  u64 wrong = 0, unwritten = 0, changed = 0;
  const u64 stride = static_cast<u64>(gridDim.x) * blockDim.x;
  for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
    const u64 row = i / columns, column = i - row * columns;
    const u64 at = row * row_stride + column;
    const Element element = Element::at(output, at, static_cast<ElementType>(type));
    const float expected = reference[i];
    const float error = element.value == expected ? 0.0f : element.value - expected;
    const bool infinite = isinf(expected);  // counted in neither norm
    if (!infinite) {
      squares += static_cast<double>(error) * static_cast<double>(error);
      largest = fmaxf(largest, fabsf(error));
    }
    unwritten += element.poison ? 1 : 0;
    if (column + 1 == columns && i + 1 < count) {
      for (u64 between = columns; between < row_stride; ++between) {
        changed +=
            Element::at(output, at + between + 1 - columns, static_cast<ElementType>(type)).poison
                ? 0
                : 1;
      }
    }
    const float own = deviations == nullptr ? 0.0f : deviates * deviations[i];
    if (infinite ? element.value != expected
                 : !(fabsf(error) <= relative * fabsf(expected) + absolute + own)) {
      ++wrong;
      atomicMin(&check->first_wrong, i);
    }
  }
  squares = warp_sum(squares);
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&check->error_squares, squares);
  }
  atomicMax(&check->largest_error, __float_as_uint(largest));
  if (wrong != 0) {
    atomicAdd(&check->wrong_elements, wrong);
  }
  if (changed != 0) {
    atomicAdd(&check->guard_changed, changed);
  }
  if (unwritten != 0) {
    atomicAdd(&check->unwritten_elements, unwritten);
  }
}

}  // namespace tilecast
