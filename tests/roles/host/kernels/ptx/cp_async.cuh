// Host stand-in for kernels/ptx/cp_async.cuh: records copies, groups and waits.
#pragma once

#include "model/base/integers.h"
#include "tests/roles/host/cuda_words.h"

namespace tilecast::ptx {

template <int kBytes>
void cp_async(u32 destination, const void* source, u32 valid) {
  kernel_calls::record({.name = kernel_calls::Name::kCopy,
                        .address = destination,
                        .value = valid,
                        .pointer = source});
}
inline void cp_async_commit() { kernel_calls::record({.name = kernel_calls::Name::kCopyCommit}); }
template <int kPending>
void cp_async_wait() {
  kernel_calls::record({.name = kernel_calls::Name::kCopyWait, .value = kPending});
}

}  // namespace tilecast::ptx
