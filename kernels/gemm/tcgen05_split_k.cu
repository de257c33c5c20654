// Warp-specialised GEMM on tcgen05 whose tiles are divided among several workers in equal parts of
// K.
//
// The roles are as in tcgen05_warp_specialized.cu, over pieces of tiles
// (model/gemm/order/work_decomposition.h). The epilogue warps of a piece add its accumulators to
// the tile's partial sums in global memory; those of the piece with the last K blocks wait for the
// others, add the partial sums to their accumulators, and store C. Reductions:
//   turnstile  in the order of K, always the same
//   atomic     in any order, to partial sums that start at zero; the CTA that finishes the tile
//              resets them
//
// Launch: a CTA or pair for each worker of args.work, all resident (it traps if a piece waits much
// longer than a launch takes), launches with the same workspace in one stream, kThreads threads,
// kSmem.total_bytes of dynamic shared memory, tensor maps with the boxes of gemm_args.h, 16-byte
// aligned rows of A and B, a workspace as reduction_workspace.h sizes it, zero before the first
// launch. Compiled for sm_100a; no GPU has run it. Checked by: kernels/jit/tcgen05_kernel_test.cpp
// (compiles; resources).
#include "kernels/device/shared_part.cuh"
#include "kernels/device/tcgen05_epilogue.cuh"
#include "kernels/device/tcgen05_loads.cuh"
#include "kernels/device/trace.cuh"

namespace tilecast {

template <class Config>
constexpr i32 kLoadingWarp = kEpilogueWarps<Config>;
template <class Config>
constexpr i32 kIssuingWarp = kEpilogueWarps<Config> + 1;
template <class Config>
constexpr i32 kAllocatingWarp = kEpilogueWarps<Config> + 2;

/// Calls `work_on(piece, tile)` for each piece of this CTA's worker.
template <class Config, class WorkOn>
__device__ inline void for_pieces(const Args<Config>& args, const ClusterPlace& cta,
                                  WorkOn work_on) {
  const WorkDecomposition& work = args.work;
  const u32 worker = blockIdx.x / Config::kCtaGroup;
  for (WorkPiece p = work.first(worker); work.valid(p); p = work.next(worker, p)) {
    work_on(p, tile_origin(args, p.tile, cta));
  }
}

/// Loads the pieces; called by one thread of each CTA.
template <class Config>
__device__ inline void load_pieces(const Args<Config>& args, const SharedMemory<Config>& smem,
                                   const ClusterPlace& cta) {
  RingPosition<Config> at;
  u32 index = 0;
  for_pieces(args, cta, [&](const WorkPiece& p, const TileOrigin& tile) {
    trace_piece(args, tile, p.k_begin, p.k_end, index++);
    for (i32 k_block = p.k_begin; k_block < p.k_end; ++k_block) {
      wait_empty(smem, at);
      load_group_k_block(args, smem, at, tile, k_block, cta);
      at.advance();
    }
  });
  wait_last_stages(smem, at);
}

/// Issues the MMAs of the pieces; called by one warp of the leader.
template <class Config>
__device__ inline void multiply_pieces(const Args<Config>& args, const SharedMemory<Config>& smem,
                                       const ClusterPlace& cta, u32 tensor_memory) {
  Tcgen05Operation<Config> operation = Tcgen05Operation<Config>::start(smem, cta, tensor_memory);
  RingPosition<Config> consume, release;
  for_pieces(args, cta, [&](const WorkPiece& p, const TileOrigin&) {
    operation.begin_tile(smem);
    multiply_k_blocks(
        smem, operation, consume, release, p.k_blocks(), cta, [](i32) {}, [] {});
  });
}

/// Address of the four partial sums from `column` of the thread's row on.
__device__ inline float* four_columns(const SharedPart& part, i32 column) {
  return place_of(part.partial, column / 4);
}

/// Adds the piece's accumulators to the tile's partial sums; called by each epilogue warp.
template <class Config>
__device__ inline void hand_on(const Args<Config>& args, const SharedMemory<Config>& smem,
                               const SharedPart& part, const WorkPiece& piece,
                               const EpiloguePart<Config>& own, u32 tensor_memory,
                               AccumulatorPosition<Config>& at) {
  const u32 k_begin = static_cast<u32>(piece.k_begin);
  const bool in_turn = args.reduction == Reduction::kTurnstile;
  if (in_turn && k_begin != 0) {
    part.wait([&](u32 summed) { return summed == k_begin; });
  }
  read_accumulators(smem, tensor_memory, at, [&](u32 columns, HandBack<Config> hand_back) {
#pragma unroll 1
    for (i32 column = 0; column < kPartColumns<Config>; column += kLoadColumns) {
      u32 bits[kLoadColumns];
      ptx::tcgen05_ld_32_columns(bits, own.first_of(columns) + column);
      ptx::tcgen05_wait_ld(bits);
      if (column + kLoadColumns >= kPartColumns<Config>) {
        hand_back();
      }
#pragma unroll
      for (i32 i = 0; i < kLoadColumns; i += 4) {
        const float4 v{__uint_as_float(bits[i]), __uint_as_float(bits[i + 1]),
                       __uint_as_float(bits[i + 2]), __uint_as_float(bits[i + 3])};
        if (in_turn && k_begin == 0) {
          ptx::store_four(four_columns(part, column + i), v);
        } else {
          ptx::add_four(four_columns(part, column + i), v);
        }
      }
    }
  });
  part.publish(static_cast<u32>(piece.k_blocks()));
}

/// The partial sums of the other pieces of a tile, once all of them have arrived.
struct TakenSums {
  const SharedPart& part;
  bool clears;

  __device__ void add_to(u32 (&bits)[kLoadColumns], i32 column) const {
#pragma unroll
    for (i32 i = 0; i < kLoadColumns; i += 4) {
      float* const from = four_columns(part, column + i);
      const float4 v = ptx::load_four(from);
      if (clears) {
        ptx::store_four(from, {0, 0, 0, 0});
      }
      bits[i] = __float_as_uint(__uint_as_float(bits[i]) + v.x);
      bits[i + 1] = __float_as_uint(__uint_as_float(bits[i + 1]) + v.y);
      bits[i + 2] = __float_as_uint(__uint_as_float(bits[i + 2]) + v.z);
      bits[i + 3] = __float_as_uint(__uint_as_float(bits[i + 3]) + v.w);
    }
  }
};

/// Stores or passes on the pieces; called by each epilogue warp.
template <class Config>
__device__ inline void store_pieces(const Args<Config>& args, const SharedMemory<Config>& smem,
                                    const ClusterPlace& cta, i32 warp, u32 tensor_memory) {
  const EpiloguePart<Config> own = EpiloguePart<Config>::of(warp);
  AccumulatorPosition<Config> at;
  for_pieces(args, cta, [&](const WorkPiece& p, const TileOrigin& tile) {
    if (args.work.is_whole(p)) {
      store_tile_in_slots(args, smem, tile, own, tensor_memory, at);
      return;
    }
    const SharedPart part = SharedPart::of(args, p, cta, warp / kWarpsPerWarpgroup);
    if (!args.work.owns(p)) {
      hand_on(args, smem, part, p, own, tensor_memory, at);
      return;
    }
    part.wait([&](u32 summed) { return summed == static_cast<u32>(p.k_begin); });
    store_tile_in_slots(args, smem, tile, own, tensor_memory, at,
                        TakenSums{part, args.reduction == Reduction::kAtomic});
    if (threadIdx.x % kThreadsPerWarpgroup == 0) {
      *part.lock = 0;  // no other worker reads the lock before the next launch
    }
  });
  finish_own_stores();
}

template <class Config>
__device__ __forceinline__ void run(const Args<Config>& args) {
  static_assert(!Config::kCBorrows, "the ring is loaded for the next piece while C is stored");
  const SharedMemory<Config> smem = SharedMemory<Config>::here();
  const i32 warp = ptx::uniform_warp_index();
  const ClusterPlace cta = ClusterPlace::here<Config>();
  if (warp == kLoadingWarp<Config> && ptx::elect_one()) {
    prefetch_tensor_maps(args);
  }
  const u32 tensor_memory = set_up_tcgen05(smem, warp, kAllocatingWarp<Config>, 0);
  if (warp < kEpilogueWarps<Config>) {
    store_pieces(args, smem, cta, warp, tensor_memory);
  } else if (warp == kLoadingWarp<Config>) {
    if (ptx::elect_one()) {
      load_pieces(args, smem, cta);
    }
  } else if (warp == kIssuingWarp<Config>) {
    if (leads<Config>(cta)) {
      multiply_pieces(args, smem, cta, tensor_memory);
    }
  }
  take_down_tcgen05(tensor_memory, warp, kAllocatingWarp<Config>);
}

}  // namespace tilecast
