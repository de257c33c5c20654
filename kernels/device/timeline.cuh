// Records a timeline in the kernel itself, if Config::kTimeline is set: the times at which each
// role worked on each tile. Otherwise every call here is empty and the kernel is identical byte for
// byte.
//
// One thread of a role writes each stamp as it is taken, so that none occupies a register. SM
// clocks start at different times and run at different frequencies: at the start of each tile and
// after the last one, a thread of another warp of the role reads clock64 and globaltimer together.
// Every stamp is close to one of these readings.
//
// Not covered: the K blocks inside a tile. Cost: about ten instructions and five stores for each
// tile and role; `measure --trace` measures it.
// Checked by: kernels/jit/timeline_kernel_test.cpp (compiles, changes nothing if it is off),
// validate/measure/gemm/timeline/timeline_test.cpp.
#pragma once

#include "kernels/device/tile_loads.cuh"
#include "kernels/gemm/timeline_stamps.h"
#include "kernels/ptx/special_registers.cuh"

namespace tilecast {

template <class Config, bool kWritten = Config::kTimeline>
class TileTimeline {
 public:
  __device__ static void enter() {}
  __device__ void begin(const TileOrigin&, i32, i32) {}
  __device__ void begin_loads(const TileOrigin&, i32, i32) {}
  __device__ void wait_first_operands(const SharedMemory<Config>&, const RingPosition<Config>&) {}
  __device__ void wait_first_stage(const SharedMemory<Config>&, const RingPosition<Config>&) {}
  __device__ void first_operands() {}
  __device__ void multiplied() {}
  __device__ void waited() {}
  __device__ void reduced() {}
  __device__ void stored() {}
  __device__ void leave() {}
};

/// State that a role keeps from its first tile to its last.
template <class Config>
class TileTimeline<Config, true> {
 public:
  /// Records the CTA's start; called by every thread, as the kernel's first instruction.
  __device__ static void enter() {
    if (threadIdx.x == 0) {
      const u32 now = ptx::clock_now();
      Config::timeline().ctas[blockIdx.x] = {now, ptx::smid()};
    }
  }

  /// Records the start of a tile; called by every thread of a consumer warpgroup that is ready for
  /// the first K block of [k_begin, k_end).
  __device__ void begin(const TileOrigin& tile, i32 k_begin, i32 k_end) {
    stamp_begin(tile, k_begin, k_end);
    read_clocks();
  }
  /// Records the start of a tile's loads; called by the producer's thread.
  __device__ void begin_loads(const TileOrigin& tile, i32 k_begin, i32 k_end) {
    stamp_begin(tile, k_begin, k_end);
    write_reading();
  }

  /// Waits for the first K block; the loop that follows waits for it again.
  __device__ void wait_first_operands(const SharedMemory<Config>& smem,
                                      const RingPosition<Config>& at) {
    wait_full(smem, at);
    first_operands();
  }
  __device__ void wait_first_stage(const SharedMemory<Config>& smem,
                                   const RingPosition<Config>& at) {
    wait_empty(smem, at);
    first_operands();
  }
  __device__ void first_operands() { stamp(&TileStamps::first_operands); }
  __device__ void multiplied() { stamp(&TileStamps::multiplied); }
  __device__ void waited() { stamp(&TileStamps::waited); }
  __device__ void reduced() { stamp(&TileStamps::reduced); }
  /// Records the end of the tile, or of the role's part of it; for a producer, after its last load
  /// is issued.
  __device__ void stored() {
    stamp(&TileStamps::stored);
    ++index_;
  }

  /// Reads the clocks a last time; called by consumer warpgroups after their last tile, before they
  /// wait for their stores.
  __device__ void leave() { read_clocks(); }

 private:
  static constexpr u32 kReader =
      32;  // thread of a warpgroup that reads the clocks: in warp 1, which neither loads nor stores
  static constexpr u32 kRoles = Config::kThreads / kThreadsPerWarpgroup;

  __device__ static u32 role() { return threadIdx.x / kThreadsPerWarpgroup; }
  /// Whether this thread writes stamps. The producer's thread follows the consumers' threads.
  __device__ static bool writes() {
    return threadIdx.x % kThreadsPerWarpgroup == 0 ||
           threadIdx.x >= Config::kConsumerWarpgroups * kThreadsPerWarpgroup;
  }
  __device__ TileStamps& stamps() const {
    const u32 tile = blockIdx.x * Config::timeline().tiles_per_cta + index_;
    return Config::timeline().tiles[tile * kRoles + role()];
  }
  __device__ void stamp(u32 TileStamps::*moment) const {
    const u32 now = ptx::clock_now();
    if (writes()) {
      stamps().*moment = now;
    }
  }
  __device__ void stamp_begin(const TileOrigin& tile, i32 k_begin, i32 k_end) const {
    const u32 now = ptx::clock_now();
    if (writes()) {
      TileStamps& to = stamps();
      *reinterpret_cast<int4*>(&to) = {tile.m / Config::kTiling.block_m,
                                       tile.n / Config::kTiling.block_n, k_begin, k_end};
      to.begin = now;
    }
  }
  __device__ void write_reading() const {
    const u32 cycles = ptx::clock_now();
    const u32 ns = ptx::globaltimer_low();
    const u32 place = blockIdx.x * (Config::timeline().tiles_per_cta + 1) + index_;
    *reinterpret_cast<uint2*>(&Config::timeline().readings[place * kRoles + role()]) = {cycles, ns};
  }
  __device__ void read_clocks() const {
    if (threadIdx.x % kThreadsPerWarpgroup == kReader) {
      write_reading();
    }
    __syncwarp();
  }

  u32 index_ = 0;  // index among the role's own tiles
};

}  // namespace tilecast
