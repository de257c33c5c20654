// Holds a warp's operands of mma.sync. Reads them from a stage by ldmatrix, one K step at a time,
// and multiplies them into the accumulators. A warp has the same rows of a warpgroup's part as with
// wgmma: sixteen of every 64.
#pragma once

#include "kernels/device/cp_async_loads.cuh"
#include "kernels/device/mma.cuh"
#include "kernels/ptx/mma_sync.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

/// Computes the addresses that ldmatrix needs within an operand's stage: for sixteen rows of A (the
/// next sixteen are kApart rows further), or sixteen columns of B. Lanes 0 to 7 give the rows of
/// the first 8x8 matrix, and so on. A's second matrix is eight rows further, B's is eight elements
/// along K.
template <class Config, bool kOfA, i32 kSide, bool kKMajor, i32 kApart>
class FragmentAddresses {
 public:
  /// `first`: the warp's first row or column in the tile.
  __device__ explicit FragmentAddresses(i32 first) {
    const i32 lane = static_cast<i32>(threadIdx.x) % 32;
    const i32 eight =
        kOfA ? lane / 8 % 2
             : lane / 16;  // half of the sixteen rows or columns along the tile's dimension
    const i32 half = kOfA ? lane / 16 : lane / 8 % 2;  // half of the sixteen elements along K
    if constexpr (kKMajor) {
      base_ = swizzled_offset<kRowBytes>(first + eight * 8 + lane % 8, half);
    } else {
      base_ = first / kSlabElements * kSlabBytes +
              swizzled_offset<kRowBytes>(half * 8 + lane % 8, first % kSlabElements / 8 + eight);
    }
  }

  /// Address of the `index`th sixteen rows or columns.
  __device__ u32 at(i32 index, i32 step) const {
    const i32 side = index * kApart;
    if constexpr (kKMajor) {
      constexpr i32 kStepsOfSlab = kRowBytes / kInstructionKBytes;
      return (base_ ^ static_cast<u32>(step % kStepsOfSlab * kInstructionKBytes)) +
             step / kStepsOfSlab * kSlabBytes + side * kRowBytes;
    } else {
      return (base_ ^ static_cast<u32>(side % kSlabElements * kHalfBytes)) +
             side / kSlabElements * kSlabBytes + step * Config::kInstructionK * kRowBytes;
    }
  }

 private:
  static constexpr i32 kRowBytes = kKMajor ? Config::kSlabRowBytes : kSwizzleBytes;
  static constexpr i32 kSlabBytes = (kKMajor ? kSide : Config::kTiling.block_k) * kRowBytes;

  u32 base_;
};

/// Operands of one K step in registers.
template <class Config>
struct Fragments {
  static constexpr i32 kSixteens = Config::kWarpgroupColumns / 16;
  u32 a[Config::kMmasAlongM][4];
  u32 b[kSixteens][4];
};

template <class Config>
class FragmentReader {
 public:
  __device__ explicit FragmentReader(const WarpgroupPlace& place)
      : a_(place.row + static_cast<i32>(threadIdx.x) % kThreadsPerWarpgroup / 32 * 16),
        b_(place.column) {}

  __device__ void load(const SharedMemory<Config>& smem, i32 stage, i32 step,
                       Fragments<Config>& fragments) const {
#pragma unroll
    for (i32 i = 0; i < Config::kMmasAlongM; ++i) {
      ptx::ldmatrix_x4<!Config::kAKMajor>(smem.a(stage) + a_.at(i, step), fragments.a[i]);
    }
#pragma unroll
    for (i32 j = 0; j < Fragments<Config>::kSixteens; ++j) {
      ptx::ldmatrix_x4<!Config::kBKMajor>(smem.b(stage) + b_.at(j, step), fragments.b[j]);
    }
  }

 private:
  FragmentAddresses<Config, true, Config::kTiling.block_m, Config::kAKMajor, kWgmmaM> a_;
  FragmentAddresses<Config, false, Config::kTiling.block_n, Config::kBKMajor, 16> b_;
};

template <class Config>
__device__ inline void multiply(Accumulator<Config>& acc, const Fragments<Config>& fragments) {
#pragma unroll
  for (i32 j = 0; j < Fragments<Config>::kSixteens; ++j) {
#pragma unroll
    for (i32 i = 0; i < Config::kMmasAlongM; ++i) {
#pragma unroll
      for (i32 eight = 0; eight < 2; ++eight) {
        ptx::mma_sync<Config::kElementType>(acc.eight_columns(i, j * 16 + eight * 8),
                                            fragments.a[i], fragments.b[j][2 * eight],
                                            fragments.b[j][2 * eight + 1]);
      }
    }
  }
}

}  // namespace tilecast
