// Stands in for kernels/ptx/vector_access.cuh on the host: no number is computed.
#pragma once

#include "model/base/integers.h"
#include "tests/roles/host/cuda_words.h"

namespace tilecast::ptx {

struct HostVector {
  u32 word[4];
};

template <int kBytes, bool kHinted>
HostVector load_global(const void*, u64) {
  return {};
}

template <int kBytes>
HostVector load_shared(u32) {
  return {};
}

}  // namespace tilecast::ptx
