// Accumulators to C: rounded to 16 bits, staged in shared memory by stmatrix in swizzled slots of
// 64 rows, then stored by the copy engine, or by plain stores where C's rows are not 16-byte
// multiples. Each warpgroup works alone, with two slots, so that the next one fills while the last
// one drains.
#pragma once

#include "kernels/device/mma.cuh"
#include "kernels/device/tile_loads.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

constexpr i32 kEpilogueColumns = epilogue_columns(kTiling);
constexpr i32 kEpilogueRowBytes = kEpilogueColumns * 2;
constexpr i32 kChunksPerRow = kTiling.block_n / kEpilogueColumns;

/// Byte offset of 16-byte column `chunk` in row `row` of a slot: the swizzle of its tensor map.
__device__ inline u32 slot_offset(u32 row, u32 chunk) {
  const u32 offset = row * kEpilogueRowBytes + chunk * 16;
  constexpr u32 kChunkMask = (kEpilogueRowBytes / 16 - 1) << 4;
  return offset ^ ((offset >> 3) & kChunkMask);
}

/// Writes 64 rows x kEpilogueColumns of one wgmma's accumulators into a slot.
template <i32 kRegisters>
__device__ inline void stage_chunk(u32 slot, const float (&d)[kRegisters], i32 column_chunk) {
  const u32 lane = threadIdx.x % 32;
  const u32 warp = threadIdx.x % kThreadsPerWarpgroup / 32;
  const u32 row = warp * 16 + lane % 16;
#pragma unroll
  for (i32 pair = 0; pair < kEpilogueColumns / 16; ++pair) {
    const float* v = &d[(column_chunk * kEpilogueColumns / 8 + pair * 2) * 4];
    ptx::stmatrix_x4(
        slot + slot_offset(row, pair * 2 + lane / 16), ptx::pack_16bit<kElementType>(v[0], v[1]),
        ptx::pack_16bit<kElementType>(v[2], v[3]), ptx::pack_16bit<kElementType>(v[4], v[5]),
        ptx::pack_16bit<kElementType>(v[6], v[7]));
  }
}

/// Copies a slot to C row by row, a warp to a row, clipped at m and n.
__device__ inline void store_chunk_plain(const GemmArgs& args, u32 slot, i32 row0, i32 column0) {
  const i32 lane = threadIdx.x % 32;
  const i32 warp = threadIdx.x % kThreadsPerWarpgroup / 32;
  const i32 column = column0 + lane * 2;
  const bool whole_pairs = args.n % 2 == 0;
  if (lane * 2 >= kEpilogueColumns || column >= args.n) {
    return;
  }
  for (i32 row = warp; row < kWgmmaM && row0 + row < args.m; row += 4) {
    const u32 pair = ptx::load_shared_u32(slot + slot_offset(row, lane / 4) + lane % 4 * 4);
    unsigned short* c = static_cast<unsigned short*>(args.c_pointer) +
                        static_cast<i64>(row0 + row) * args.n + column;
    if (whole_pairs) {
      *reinterpret_cast<u32*>(c) = pair;
    } else {
      c[0] = static_cast<unsigned short>(pair);
      if (column + 1 < args.n) {
        c[1] = static_cast<unsigned short>(pair >> 16);
      }
    }
  }
}

/// Called by every thread of the warpgroup once its wgmmas are complete.
__device__ inline void store_tile(const GemmArgs& args, const SharedMemory& smem,
                                  const Accumulator& acc, const TileOrigin& tile, i32 warpgroup) {
  // One thread, always the same, issues the stores and so can wait for them.
  const bool stores = ptx::uniform_warp_index() % kWarpsPerWarpgroup == 0;
  const u32 barrier = 1 + warpgroup;
#pragma unroll
  for (i32 chunk = 0; chunk < kMmasAlongM * kChunksPerRow; ++chunk) {
    const i32 i = chunk / kChunksPerRow;
    const i32 column_chunk = chunk % kChunksPerRow;
    const i32 row0 = tile.m + warpgroup * kRowsPerWarpgroup + i * kWgmmaM;
    const i32 column0 = tile.n + column_chunk * kEpilogueColumns;
    const u32 slot = smem.c(warpgroup, chunk % kEpilogueSlots);
    if (stores && ptx::elect_one()) {
      if (chunk == 0) {
        ptx::tma_store_wait_read<0>();  // the tile before may have ended on either slot
      } else {
        ptx::tma_store_wait_read<kEpilogueSlots - 1>();
      }
    }
    ptx::named_barrier_sync(barrier, kThreadsPerWarpgroup);
    stage_chunk(slot, acc.d[i], column_chunk);
    ptx::fence_proxy_async();
    ptx::named_barrier_sync(barrier, kThreadsPerWarpgroup);
    if (args.c_by_tma == 0) {
      store_chunk_plain(args, slot, row0, column0);
    } else if (stores && ptx::elect_one()) {
      ptx::tma_store_2d(&args.c, slot, column0, row0);
      ptx::tma_store_commit();
    }
  }
}

/// Before the CTA ends: its shared memory must outlive the stores that read it.
__device__ inline void finish_stores() { ptx::tma_store_wait_read<0>(); }

}  // namespace tilecast
