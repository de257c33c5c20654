// Fills memory with 16-bit or 8-bit elements of a named distribution from a counter-based
// generator: element i of seed s does not depend on the grid. `count`: number of elements, even for
// fp8. Grid-stride loop.
#include "kernels/ptx/convert.cuh"
#include "kernels/verify/drawn_inputs.cuh"

namespace tilecast {

extern "C" __global__ void __launch_bounds__(256)
    tilecast_fill_inputs(unsigned short* elements, u64 count, i32 type, i32 inputs, u64 seed) {
  const ElementType element_type = static_cast<ElementType>(type);
  const u64 pairs = (count + 1) / 2;
  const u64 stride = static_cast<u64>(gridDim.x) * blockDim.x;
  for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < pairs; i += stride) {
    const DrawnPair pair = drawn_pair(static_cast<Inputs>(inputs), seed, i);
    if (is_narrow(element_type)) {
      elements[i] = ptx::fp8_pair_of(pair.first, pair.second, element_type);
      continue;
    }
    if (element_type == ElementType::kFp32) {
      float* const wide = reinterpret_cast<float*>(elements);
      wide[2 * i] = pair.first;
      if (2 * i + 1 < count) {
        wide[2 * i + 1] = pair.second;
      }
      continue;
    }
    elements[2 * i] = ptx::bits_of(pair.first, element_type);
    if (2 * i + 1 < count) {
      elements[2 * i + 1] = ptx::bits_of(pair.second, element_type);
    }
  }
}

}  // namespace tilecast
