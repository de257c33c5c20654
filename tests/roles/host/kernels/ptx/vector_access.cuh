// Host stand-in for kernels/ptx/vector_access.cuh: no values are computed.
#pragma once

#include "model/base/integers.h"
#include "tests/roles/host/cuda_words.h"

namespace tilecast::ptx {

template <int kBytes>
struct Vector {
  static constexpr int kWords = kBytes < 4 ? 1 : kBytes / 4;
  u32 word[kWords];
};

template <int kBytes, bool kHinted>
Vector<kBytes> load_global(const void*, u64) {
  return {};
}

template <int kBytes>
Vector<kBytes> load_shared(u32) {
  return {};
}

template <int kBytes, bool kHinted>
void store_global(void*, const Vector<kBytes>&, u64) {}

template <int kBytes>
void store_shared(u32, const Vector<kBytes>&) {}

}  // namespace tilecast::ptx
