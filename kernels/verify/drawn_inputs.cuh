// Random numbers of a named distribution from a counter-based generator: a number depends only on
// the seed and the counter.
#pragma once

#include "model/base/integers.h"
#include "model/base/regime.h"

namespace tilecast {

/// Finalizer of splitmix64: every bit of the result depends on every bit of the counter.
__device__ inline u64 scramble(u64 counter) {
  counter = (counter ^ (counter >> 30)) * 0xbf58476d1ce4e5b9ull;
  counter = (counter ^ (counter >> 27)) * 0x94d049bb133111ebull;
  return counter ^ (counter >> 31);
}

/// Maps to (0, 1], so that the logarithm is finite.
__device__ inline float unit_interval(u32 random) {
  return (static_cast<float>(random >> 8) + 1.0f) * (1.0f / 16777216.0f);
}

struct DrawnPair {
  float first, second;
};

__device__ inline DrawnPair draw(Inputs inputs, u64 random) {
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

/// Returns pair `i` of the sequence with seed `seed`.
__device__ inline DrawnPair drawn_pair(Inputs inputs, u64 seed, u64 i) {
  return draw(inputs, scramble(scramble(seed) + (i + 1) * 0x9e3779b97f4a7c15ull));
}

}  // namespace tilecast
