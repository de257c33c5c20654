// Host stand-in for kernels/ptx/global_sync.cuh: a lock reads as the lowest value that lets the
// thread continue.
#pragma once

#include "model/base/integers.h"
#include "tests/roles/host/cuda_words.h"

namespace tilecast::ptx {

inline u32 load_acquire(const u32* word) {
  std::vector<kernel_calls::Call>& calls = kernel_calls::running.calls;
  if (!calls.empty() && calls.back().name == kernel_calls::Name::kLook &&
      calls.back().pointer == word) {
    return ++calls.back().value;
  }
  kernel_calls::record({.name = kernel_calls::Name::kLook, .pointer = word});
  return 0;
}
inline void add_release(u32* word, u32 value) {
  kernel_calls::record({.name = kernel_calls::Name::kAdd, .value = value, .pointer = word});
}
inline u32 fetch_add_acq_rel(u32* word, u32 value) {
  kernel_calls::record({.name = kernel_calls::Name::kAddAndFetch, .value = value, .pointer = word});
  return 0;
}

inline void add_four(float*, const float4&) {
  kernel_calls::record({.name = kernel_calls::Name::kSumAdd});
}
inline float4 load_four(const float*) {
  kernel_calls::record({.name = kernel_calls::Name::kSumLoad});
  return {};
}
inline void store_four(float*, const float4&) {
  kernel_calls::record({.name = kernel_calls::Name::kSumStore});
}

}  // namespace tilecast::ptx
