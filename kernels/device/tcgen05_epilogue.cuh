// Moves results from tensor memory to C with independent warps. Each warp reads its 32 lanes, 32
// columns at a time, scales them, rounds them to 16 bits, and stages chunks of 32 rows x 64 columns
// in shared memory for a bulk store. If C's rows are not 16-byte multiples, it uses plain stores. A
// second warpgroup takes the other half of the columns.
#pragma once

#include "kernels/device/tcgen05_operation.cuh"
#include "kernels/ptx/convert.cuh"
#include "kernels/ptx/vector_access.cuh"

namespace tilecast {

constexpr i32 kWarpRows = kTensorMemoryLanes / kWarpsPerWarpgroup;
template <class Config>
constexpr i32 kPartColumns = Config::kWarpgroupColumns;
template <class Config>
constexpr i32 kPartChunks = Config::kPartChunks;
constexpr i32 kLoadColumns = kTensorMemoryLoadColumns;
constexpr i32 kWarpSlotBytes = kWarpRows * kSwizzleBytes;  // bytes of a warp's part of a slot
template <class Config>
constexpr i32 kOwnSlots =
    min_of(Config::kTiling.c_slots, kPartChunks<Config>);  // slots per warpgroup

/// A warp's part of a tile.
template <class Config>
struct EpiloguePart {
  static_assert(Config::kSmem.c_slot_bytes == kWarpsPerWarpgroup * kWarpSlotBytes,
                "a slot is 128 rows of 64 columns");
  static_assert(Config::kLastColumns == 0 && Config::kBoxColumns == kSlabElements,
                "every chunk is one box of C's only map");

  i32 warp;         // index among the CTA's epilogue warps
  i32 row, column;  // first row and column in the tile

  __device__ static EpiloguePart<Config> of(i32 warp) {
    return {warp, warp % kWarpsPerWarpgroup * kWarpRows,
            warp / kWarpsPerWarpgroup * kPartColumns<Config>};
  }

  /// Address of the part's first accumulator, for accumulators that begin at tensor-memory column
  /// `columns`.
  __device__ u32 first_of(u32 columns) const {
    return columns + (static_cast<u32>(row) << 16) + static_cast<u32>(column);
  }
};

/// Packs 32 columns of a thread's row; `c` is its first element in C.
template <class Config>
__device__ inline void pack_row(const Args<Config>& args, const u32 (&bits)[kLoadColumns], i32 row,
                                i32 column, u32* packed) {
#pragma unroll
  for (i32 pair = 0; pair < kLoadColumns / 2; ++pair) {
    float v[2] = {__uint_as_float(bits[2 * pair]), __uint_as_float(bits[2 * pair + 1])};
    if constexpr (Config::kScales) {
#pragma unroll
      for (i32 i = 0; i < 2; ++i) {
        v[i] *= args.alpha;
        const i32 at = column + 2 * pair + i;
        if (args.beta != 0 && row < args.m && at < args.n) {
          const unsigned short* c = static_cast<const unsigned short*>(args.c_pointer) +
                                    static_cast<i64>(row) * args.n + at;
          v[i] += args.beta * ptx::value_of_bits(*c, Config::kCType);
        }
      }
    }
    packed[pair] = ptx::pack_16bit<Config::kCType>(v[0], v[1]);
  }
}

/// Stores 32 packed columns of a thread's row, clipped at m and n.
template <class Config>
__device__ inline void store_row_plain(const Args<Config>& args, const u32* packed, i32 row,
                                       i32 column) {
  if (row >= args.m) {
    return;
  }
  unsigned short* c = static_cast<unsigned short*>(args.c_pointer) + static_cast<i64>(row) * args.n;
#pragma unroll
  for (i32 i = 0; i < kLoadColumns; ++i) {
    if (column + i < args.n) {
      c[column + i] = static_cast<unsigned short>(packed[i / 2] >> (i % 2 * 16));
    }
  }
}

/// Stages 32 packed columns of a thread's row in its slot, swizzled as in the tensor map of C;
/// `half` is 0 or 1.
__device__ inline void stage_row(u32 slot, const u32* packed, i32 half) {
  const u32 lane = threadIdx.x % 32;
  const u32 row = slot + lane * kSwizzleBytes;
#pragma unroll
  for (u32 i = 0; i < 4; ++i) {
    const u32 sixteenth = (static_cast<u32>(half) * 4 + i) ^ (lane % 8);
    ptx::store_shared(
        row + sixteenth * 16,
        ptx::Vector<16>{{packed[4 * i], packed[4 * i + 1], packed[4 * i + 2], packed[4 * i + 3]}});
  }
}

/// The `sums` of a tile to which no other worker contributes.
struct NoOtherSums {
  __device__ void add_to(u32 (&)[kLoadColumns], i32) const {}
};

/// Stores one tile; called by each epilogue warp once the accumulators at `columns` are complete.
/// `slot_of(chunk)`: address where the warpgroup's chunk is staged. `before(chunk)` waits until
/// that slot is free. `on_read()` is called after the last load from tensor memory.
/// `sums.add_to(bits, column)` adds the other workers' sums to 32 columns of the part, from
/// `column` on.
template <class Config, class SlotOf, class Before, class OnRead, class Sums>
__device__ inline void store_part(const Args<Config>& args, const TileOrigin& tile,
                                  const EpiloguePart<Config>& part, u32 columns, SlotOf slot_of,
                                  Before before, OnRead on_read, const Sums& sums) {
  const i32 lane = threadIdx.x % 32;
  const i32 row = tile.m + part.row + lane;
  const u32 from = part.first_of(columns);
#pragma unroll 1
  for (i32 chunk = 0; chunk < kPartChunks<Config>; ++chunk) {
    const i32 column = tile.n + part.column + chunk * kSlabElements;
    const u32 slot = slot_of(chunk) + part.row * kSwizzleBytes;
    before(chunk);
#pragma unroll
    for (i32 half = 0; half < 2; ++half) {
      u32 bits[kLoadColumns];
      ptx::tcgen05_ld_32_columns(bits, from + chunk * kSlabElements + half * kLoadColumns);
      ptx::tcgen05_wait_ld(bits);
      if (chunk == kPartChunks<Config> - 1 && half == 1) {
        on_read();
      }
      sums.add_to(bits, chunk * kSlabElements + half * kLoadColumns);
      u32 packed[kLoadColumns / 2];
      pack_row(args, bits, row, column + half * kLoadColumns, packed);
      if (args.c_by_tma == 0) {
        store_row_plain(args, packed, row, column + half * kLoadColumns);
      } else {
        stage_row(slot, packed, half);
      }
    }
    if (args.c_by_tma != 0) {
      ptx::fence_proxy_async();
      __syncwarp();
      if (ptx::elect_one()) {
        ptx::tma_store_2d(&args.c, slot, column, tile.m + part.row);
        ptx::tma_store_commit();
      }
      __syncwarp();
    }
  }
}

/// Tells the issuing warp that this warp has read the accumulators.
template <class Config>
struct HandBack {
  u32 barrier;

  __device__ void operator()() const {
    ptx::tcgen05_fence_before_thread_sync();
    __syncwarp();
    if (ptx::elect_one()) {
      arrive_at_leader<Config>(barrier);
    }
    __syncwarp();
  }
};

/// Waits for the accumulators at `at` and calls `read(columns, hand_back)` with their first column
/// of tensor memory; `read` calls `hand_back` after its last load.
template <class Config, class Read>
__device__ inline void read_accumulators(const SharedMemory<Config>& smem, u32 tensor_memory,
                                         AccumulatorPosition<Config>& at, Read read) {
  const Tcgen05Shared own = Tcgen05Shared::of(smem);
  ptx::mbarrier_wait(own.accumulator_full(at.index), at.phase);
  ptx::tcgen05_fence_after_thread_sync();
  read(Tcgen05Operation<Config>::columns(tensor_memory, at),
       HandBack<Config>{own.accumulator_empty(at.index)});
  at.advance();
}

/// Waits for the accumulators at `at`, stores the tile through the CTA's dedicated slots, and
/// releases the accumulator buffer.
template <class Config, class SlotOf, class Before, class Sums = NoOtherSums>
__device__ inline void store_tile_at(const Args<Config>& args, const SharedMemory<Config>& smem,
                                     const TileOrigin& tile, const EpiloguePart<Config>& part,
                                     u32 tensor_memory, AccumulatorPosition<Config>& at,
                                     SlotOf slot_of, Before before, const Sums& sums = {}) {
  read_accumulators(smem, tensor_memory, at, [&](u32 columns, HandBack<Config> hand_back) {
    store_part(args, tile, part, columns, slot_of, before, hand_back, sums);
  });
}

/// Stores a tile through the warpgroup's dedicated slots. A chunk waits for the store that used its
/// slot before.
template <class Config, class Sums = NoOtherSums>
__device__ inline void store_tile_in_slots(const Args<Config>& args,
                                           const SharedMemory<Config>& smem, const TileOrigin& tile,
                                           const EpiloguePart<Config>& part, u32 tensor_memory,
                                           AccumulatorPosition<Config>& at, const Sums& sums = {}) {
  constexpr i32 kSlots = max_of(1, kOwnSlots<Config>);
  const i32 warpgroup = part.warp / kWarpsPerWarpgroup;
  store_tile_at(
      args, smem, tile, part, tensor_memory, at,
      [&](i32 chunk) { return smem.c(warpgroup, chunk % kSlots); },
      [&](i32 chunk) {
        if (ptx::elect_one()) {
          if (chunk == 0 && kPartChunks<Config> % kSlots != 0) {
            ptx::tma_store_wait_read<0>();  // the previous tile ended in the middle of a round
          } else {
            ptx::tma_store_wait_read<kSlots - 1>();  // waits for this warp's older stores; each
                                                     // slot has one per chunk
          }
        }
        __syncwarp();
      },
      sums);
}

/// Stores a tile of C through the CTA's dedicated slots or, if C aliases the operand stages,
/// through the drained ring; a CTA of the latter kind has a single tile.
template <class Config>
__device__ inline void store_tile_where_kept(const Args<Config>& args,
                                             const SharedMemory<Config>& smem,
                                             const TileOrigin& tile,
                                             const EpiloguePart<Config>& part, u32 tensor_memory,
                                             AccumulatorPosition<Config>& at) {
  if constexpr (Config::kCBorrows) {
    const i32 warpgroup = part.warp / kWarpsPerWarpgroup;
    store_tile_at(
        args, smem, tile, part, tensor_memory, at,
        [&](i32 chunk) {
          return smem.base + (warpgroup * kPartChunks<Config> + chunk) * Config::kSmem.c_slot_bytes;
        },
        [](i32) {});
  } else {
    store_tile_in_slots(args, smem, tile, part, tensor_memory, at);
  }
}

/// Called before the CTA ends: its shared memory must outlive the stores that read it.
__device__ inline void finish_own_stores() {
  if (ptx::elect_one()) {
    ptx::tma_store_wait_read<0>();
  }
  __syncwarp();
}

}  // namespace tilecast
