// When each role worked on each tile, written down by the kernel itself where it is compiled with
// TILECAST_TIMELINE; without, every call here is empty and the kernel is the same to the byte.
//
// One thread of a role writes each stamp as it is taken, so that none waits in a register. SM
// clocks start at different times: another warp, which has nothing to do meanwhile, reads clock64
// and globaltimer together while the CTA waits for its first operands and again while its last
// stores drain.
//
// Leaves out: the K blocks inside a tile. Cost: about ten instructions and four stores for each
// tile and role; `tilecast-gpu timeline` measures it.
// Checked by: kernels/jit/timeline_kernel_test.cpp (compiles, changes nothing where it is off),
// validate/measure/timeline_test.cpp.
#pragma once

#include "kernels/device/tile_loads.cuh"

#ifdef TILECAST_TIMELINE
#include "kernels/gemm/timeline_stamps.h"
#include "kernels/ptx/special_registers.cuh"

extern "C" __constant__ tilecast::TimelineBuffers tilecast_timeline;
#endif

namespace tilecast {

#ifdef TILECAST_TIMELINE

/// Lives in a role from its first tile to its last.
class TileTimeline {
 public:
  /// By every thread, as the kernel's first instruction.
  __device__ static void enter() {
    if (threadIdx.x == 0) {
      tilecast_timeline.ctas[blockIdx.x].entry = ptx::clock_now();
    }
  }

  /// By every thread of a warpgroup that multiplies: ready for the tile's first K block.
  __device__ void begin(const TileOrigin& tile) {
    begin_loads(tile);
    if (index_ == 0) {
      if (threadIdx.x == kAnchorThread) {
        CtaStamps& cta = tilecast_timeline.ctas[blockIdx.x];
        cta.smid = ptx::smid();
        read_clocks(cta.early_cycles, cta.early_ns);
      }
      __syncwarp();
    }
  }
  /// By the producer's thread.
  __device__ void begin_loads(const TileOrigin& tile) {
    const u32 now = ptx::clock_now();
    if (writes()) {
      *reinterpret_cast<uint4*>(&stamps()) = {static_cast<u32>(tile.m / kTiling.block_m),
                                              static_cast<u32>(tile.n / kTiling.block_n), now, 0};
    }
  }

  /// Waits for the first K block, as the loop that follows does again.
  __device__ void wait_first_operands(const SharedMemory& smem, const RingPosition& at) {
    wait_full(smem, at);
    first_operands();
  }
  __device__ void wait_first_stage(const SharedMemory& smem, const RingPosition& at) {
    wait_empty(smem, at);
    first_operands();
  }
  __device__ void first_operands() { stamp(&TileStamps::first_operands); }
  __device__ void multiplied() { stamp(&TileStamps::multiplied); }
  /// The end of the tile; a producer's, once its last load is issued.
  __device__ void stored() {
    stamp(&TileStamps::stored);
    ++index_;
  }

  /// Behind the last tile, before the CTA waits for its stores.
  __device__ static void leave() {
    if (threadIdx.x == kAnchorThread) {
      CtaStamps& cta = tilecast_timeline.ctas[blockIdx.x];
      read_clocks(cta.late_cycles, cta.late_ns);
    }
  }

 private:
  static constexpr u32 kAnchorThread = 32;  // of warp 1, which neither loads nor stores
  static constexpr u32 kRoles = kThreads / kThreadsPerWarpgroup;

  __device__ static void read_clocks(u64& cycles, u64& ns) {
    const u64 before = ptx::clock64_now();
    const u64 now = ptx::globaltimer();
    cycles = before + (ptx::clock64_now() - before) / 2;
    ns = now;
  }
  /// Behind the consumers' threads there is the producer's one.
  __device__ static bool writes() {
    return threadIdx.x % kThreadsPerWarpgroup == 0 ||
           threadIdx.x >= kConsumerWarpgroups * kThreadsPerWarpgroup;
  }
  __device__ TileStamps& stamps() const {
    const u32 tile = blockIdx.x * tilecast_timeline.tiles_per_cta + index_;
    return tilecast_timeline.tiles[tile * kRoles + threadIdx.x / kThreadsPerWarpgroup];
  }
  __device__ void stamp(u32 TileStamps::*moment) const {
    const u32 now = ptx::clock_now();
    if (writes()) {
      stamps().*moment = now;
    }
  }

  u32 index_ = 0;  // of the role's own tiles
};

#else

class TileTimeline {
 public:
  __device__ static void enter() {}
  __device__ void begin(const TileOrigin&) {}
  __device__ void begin_loads(const TileOrigin&) {}
  __device__ void wait_first_operands(const SharedMemory&, const RingPosition&) {}
  __device__ void wait_first_stage(const SharedMemory&, const RingPosition&) {}
  __device__ void first_operands() {}
  __device__ void multiplied() {}
  __device__ void stored() {}
  __device__ static void leave() {}
};

#endif

}  // namespace tilecast
