// Fills memory with 16-bit elements of a named distribution, from a counter-based generator:
// element i of seed s is the same whatever the grid. `count` elements; the grid strides.
#include "kernels/ptx/convert.cuh"
#include "model/base/integers.h"
#include "model/tile/regime.h"

namespace tilecast {

/// The finaliser of splitmix64: every bit of the result depends on every bit of the counter.
__device__ u64 scramble(u64 counter) {
  counter = (counter ^ (counter >> 30)) * 0xbf58476d1ce4e5b9ull;
  counter = (counter ^ (counter >> 27)) * 0x94d049bb133111ebull;
  return counter ^ (counter >> 31);
}

/// In (0, 1], so that its logarithm is finite.
__device__ float unit_interval(u32 random) {
  return (static_cast<float>(random >> 8) + 1.0f) * (1.0f / 16777216.0f);
}

struct Pair {
  float first, second;
};

__device__ Pair draw(Inputs inputs, u64 random) {
  const u32 low = static_cast<u32>(random);
  const u32 high = static_cast<u32>(random >> 32);
  switch (inputs) {
    case Inputs::kNormal: {  // Box-Muller
      const float radius = sqrtf(-2.0f * logf(unit_interval(low)));
      float sine, cosine;
      sincospif(2.0f * unit_interval(high), &sine, &cosine);
      return {radius * cosine, radius * sine};
    }
    case Inputs::kUniform:  // [0, 1)
      return {1.0f - unit_interval(low), 1.0f - unit_interval(high)};
    case Inputs::kTernary:
      return {static_cast<float>(low % 3) - 1.0f, static_cast<float>(high % 3) - 1.0f};
    case Inputs::kZeros:
      break;
  }
  return {0.0f, 0.0f};
}

extern "C" __global__ void __launch_bounds__(256)
    tilecast_fill_inputs(unsigned short* elements, u64 count, i32 type, i32 inputs, u64 seed) {
  const ElementType element_type = static_cast<ElementType>(type);
  const u64 pairs = (count + 1) / 2;
  const u64 stride = static_cast<u64>(gridDim.x) * blockDim.x;
  for (u64 i = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; i < pairs; i += stride) {
    const Pair pair = draw(static_cast<Inputs>(inputs),
                           scramble(scramble(seed) + (i + 1) * 0x9e3779b97f4a7c15ull));
    elements[2 * i] = ptx::bits_of(pair.first, element_type);
    if (2 * i + 1 < count) {
      elements[2 * i + 1] = ptx::bits_of(pair.second, element_type);
    }
  }
}

}  // namespace tilecast
