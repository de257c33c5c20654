// Key: machine.chunk (what staging a chunk of C is made of).
//
// Method: every warp stores matrices again and again to a place of its own in shared memory, rows
// of 128 bytes. Three samples of the whole CTA:
//   stmatrix alone                                              the store path
//   with the packing of eight accumulators before each          what a chunk costs a warp
//   eight with packing, a proxy fence, a named barrier          a chunk of 64 columns, less its
//   store
// `swizzled` puts the sixteen-byte chunks of a row as a tensor map's 128 byte swizzle does; without
// it all eight rows of a matrix lie in the same banks.
//
// Excludes: waiting for a free slot, the store of the slot, scaling.
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/mbarrier.cuh"
#include "kernels/ptx/tma.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

constexpr u32 kAtOnce = 8;  // stores of a warp in a turn: 128 columns of 16 rows
constexpr u32 kRow = 128;   // bytes
constexpr u32 kWarpBytes = 16 * kRow * 2;

/// `turn` again and again by the whole CTA; the first time untimed.
template <class Turn>
__device__ __forceinline__ void timed(u32 turns, TimedSample* sample, const Turn& turn) {
  turn();
  __syncthreads();
  const Stopwatch watch = Stopwatch::start();
#pragma unroll 1
  for (u32 i = 0; i < turns; ++i) {
    turn();
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    *sample = watch.stop(static_cast<u64>(turns) * kAtOnce);
  }
}

/// Shared memory: kWarpBytes for each warp.
extern "C" __global__ void __launch_bounds__(1024)
    tilecast_stmatrix(u32 turns, u32 swizzled, TimedSample* samples) {
  extern __shared__ __align__(1024) char dynamic[];
  const u32 lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const u32 row = lane % 16;
  u32 places[kAtOnce];
#pragma unroll
  for (u32 i = 0; i < kAtOnce; ++i) {
    const u32 chunk = i % 4 * 2 + lane / 16;
    const u32 placed = swizzled != 0 ? chunk ^ row % 8 : chunk;
    places[i] = ptx::shared_address(dynamic) + warp * kWarpBytes + i / 4 * (16 * kRow) +
                row * kRow + placed * 16;
  }
  float v[8];
#pragma unroll
  for (u32 i = 0; i < 8; ++i) {
    v[i] = static_cast<float>(threadIdx.x + i);
  }
  const auto store = [&](u32 i, bool packing) {
    u32 r[4];
#pragma unroll
    for (u32 j = 0; j < 4; ++j) {
      asm volatile("" : "+f"(v[2 * j]), "+f"(v[2 * j + 1]));  // packed again for every store
      r[j] =
          packing ? ptx::pack_16bit<ElementType::kFp16>(v[2 * j], v[2 * j + 1]) : threadIdx.x + j;
    }
    ptx::stmatrix_x4(places[i], r[0], r[1], r[2], r[3]);
  };
  timed(turns, samples, [&] {
#pragma unroll
    for (u32 i = 0; i < kAtOnce; ++i) {
      store(i, false);
    }
  });
  timed(turns, samples + 1, [&] {
#pragma unroll
    for (u32 i = 0; i < kAtOnce; ++i) {
      store(i, true);
    }
  });
  timed(turns, samples + 2, [&] {
#pragma unroll
    for (u32 i = 0; i < kAtOnce; ++i) {
      store(i, true);
    }
    ptx::fence_proxy_async();
    ptx::named_barrier_sync(1 + warp / 4, 128);  // each warpgroup by itself
  });
}

}  // namespace tilecast
