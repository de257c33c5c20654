// Host stand-in for kernels/ptx/tma.cuh: records bulk copies with their boxes, which are in the
// tensor maps.
#pragma once

#include "model/base/integers.h"
#include "tests/roles/host/cuda_words.h"

namespace tilecast::ptx {

inline void prefetch_tensor_map(const void*) {}
inline void tma_prefetch_2d(const void*, i32, i32) {}
inline void tma_prefetch_3d(const void*, i32, i32, i32) {}
inline void fence_proxy_async() {}

inline kernel_calls::Map map_at(const void* map) {
  kernel_calls::Map found;
  std::memcpy(&found, map, sizeof(found));
  return found;
}

inline void tma_load_3d_multicast(u32, const void* map, i32 x, i32 y, i32 z, u32 barrier,
                                  unsigned short cta_mask) {
  kernel_calls::record({.name = kernel_calls::Name::kLoad,
                        .address = barrier,
                        .value = cta_mask,
                        .map = map_at(map),
                        .x = x,
                        .y = y,
                        .z = z});
}
inline void tma_load_3d(u32 destination, const void* map, i32 x, i32 y, i32 z, u32 barrier) {
  const auto own = static_cast<unsigned short>(1u << kernel_calls::running.rank);
  tma_load_3d_multicast(destination, map, x, y, z, barrier, own);
}
inline void tma_load_2d_multicast(u32 destination, const void* map, i32 x, i32 y, u32 barrier,
                                  unsigned short cta_mask) {
  tma_load_3d_multicast(destination, map, x, y, 0, barrier, cta_mask);
}
inline void tma_load_2d(u32 destination, const void* map, i32 x, i32 y, u32 barrier) {
  tma_load_3d(destination, map, x, y, 0, barrier);
}

/// The last coordinate is the same for all (kernels/jit/tensor_map.h).
inline void tma_load_4d_multicast(u32 destination, const void* map, i32 x, i32 y, i32 z, i32,
                                  u32 barrier, unsigned short cta_mask) {
  tma_load_3d_multicast(destination, map, x, y, z, barrier, cta_mask);
}
inline void tma_load_4d(u32 destination, const void* map, i32 x, i32 y, i32 z, i32, u32 barrier) {
  tma_load_3d(destination, map, x, y, z, barrier);
}

inline void tma_store_3d(const void* map, u32 source, i32 x, i32 y, i32 z) {
  kernel_calls::record({.name = kernel_calls::Name::kStore,
                        .address = source,
                        .map = map_at(map),
                        .x = x,
                        .y = y,
                        .z = z});
}
inline void tma_store_4d(const void* map, u32 source, i32 x, i32 y, i32 z, i32) {
  tma_store_3d(map, source, x, y, z);
}
inline void tma_store_2d(const void* map, u32 source, i32 x, i32 y) {
  tma_store_3d(map, source, x, y, 0);
}
inline void tma_store_commit() { kernel_calls::record({.name = kernel_calls::Name::kStoreCommit}); }
template <int kPending>
void tma_store_wait_read() {
  kernel_calls::record({.name = kernel_calls::Name::kStoreWait, .value = kPending});
}

}  // namespace tilecast::ptx
