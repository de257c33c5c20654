// Host stand-in for kernels/ptx/mbarrier.cuh: a wait is recorded and returns at once.
#pragma once

#include "model/base/integers.h"
#include "tests/roles/host/cuda_words.h"

namespace tilecast::ptx {

inline u32 shared_address(const void*) { return 0; }
inline void mbarrier_init(u32, u32) {}
inline void fence_mbarrier_init() {}

inline void mbarrier_arrive(u32 barrier) {
  kernel_calls::record({.name = kernel_calls::Name::kArrive,
                        .address = barrier,
                        .value = kernel_calls::running.rank});
}
inline void mbarrier_arrive_remote(u32 barrier, u32 cta_rank) {
  kernel_calls::record(
      {.name = kernel_calls::Name::kArrive, .address = barrier, .value = cta_rank});
}
inline void mbarrier_arrive_expect_tx(u32 barrier, u32 bytes) {
  kernel_calls::record({.name = kernel_calls::Name::kExpect, .address = barrier, .value = bytes});
}
inline void mbarrier_wait(u32 barrier, u32 parity) {
  kernel_calls::record({.name = kernel_calls::Name::kWait, .address = barrier, .value = parity});
}

}  // namespace tilecast::ptx
