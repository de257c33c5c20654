// Key: when a K block's parts happen in the GEMM's own loop: the ring of stages, one tile.
//
// Method: the loop of kernels/device with its operation wrapped: the first warp of every warpgroup
// notes the clock around each wait and each issue, the loading warp around its loads. A
// warp-specialised configuration has a warp of its producer load, any other warp 0 behind its
// wgmmas, as in pipelined.
//
// Excludes: the epilogue; DRAM where the tile's operands lie in L2.
#include "kernels/device/unspecialized_loop.cuh"
#include "kernels/micro/k_block_mark.h"
#include "kernels/micro/stopwatch.cuh"
#include "model/gemm/config/register_plan.h"

namespace tilecast {

constexpr bool kSpecialized = has_producer_warpgroup(Config::kKernel.schedule);
constexpr RegisterPlan kRoleRegisters = register_plan(
    Config::kConsumerWarpgroups, 1, default_producer_registers(Config::kConsumerWarpgroups));

constexpr ClusterPlace kAlone{0, 0, 0};

struct MarkedOperation {
  static constexpr i32 kLag = WgmmaOperation<Config>::kLag;

  WgmmaOperation<Config> operation;
  KBlockMark* next;
  bool notes;

  __device__ __forceinline__ void note(u64 KBlockMark::*mark) const {
    const u64 now = ptx::clock64_now();
    if (notes) {
      next->*mark = now;
    }
  }
  __device__ __forceinline__ void wait_operands(const SharedMemory<Config>& smem,
                                                const RingPosition<Config>& at) {
    note(&KBlockMark::waits);
    operation.wait_operands(smem, at);
    note(&KBlockMark::operands);
  }
  __device__ __forceinline__ void issue(const SharedMemory<Config>& smem,
                                        const RingPosition<Config>& at, bool accumulate) {
    operation.issue(smem, at, accumulate);
    note(&KBlockMark::issued);
  }
  __device__ __forceinline__ void wait_outstanding(const SharedMemory<Config>& smem,
                                                   const RingPosition<Config>& at, i32 k_block) {
    operation.wait_outstanding(smem, at, k_block);
    note(&KBlockMark::waited);
    ++next;
  }
  __device__ __forceinline__ void release(const SharedMemory<Config>& smem,
                                          const RingPosition<Config>& at,
                                          const ClusterPlace& place) const {
    operation.release(smem, at, place);
  }
  __device__ __forceinline__ void finish(const SharedMemory<Config>& smem) {
    operation.finish(smem);
  }
};

/// load_when_empty with notes of it; by a whole warp.
__device__ inline void load_noted(const Args<Config>& args, const SharedMemory<Config>& smem,
                                  RingPosition<Config>& at, const TileOrigin& tile, i32 k_block,
                                  KBlockMark* marks) {
  wait_empty(smem, at);
  const u64 free = ptx::clock64_now();
  if (ptx::elect_one()) {
    load_k_block(args, smem, at, tile, k_block, kAlone);
    const u64 issued = ptx::clock64_now();
    marks[k_block].load_free = free;
    marks[k_block].load_issued = issued;
  }
  __syncwarp();
  at.advance();
}

/// A CTA per tile, tiles along m first, `tiles_m` of them; marks: [CTA][warpgroup][K block], the
/// loads' with the first warpgroup. A sample per CTA: the whole loop, amount K blocks.
extern "C" __global__ void __launch_bounds__(Config::kThreads, 1)
    tilecast_k_block_loop(const __grid_constant__ Args<Config> args, i32 tiles_m, KBlockMark* marks,
                          TimedSample* samples) {
  const SharedMemory<Config> smem = SharedMemory<Config>::here();
  if (threadIdx.x == Config::kThreads - 1) {
    prefetch_tensor_maps(args);
  }
  set_up_stages(smem);
  const i32 cta = static_cast<i32>(blockIdx.x);
  const TileOrigin tile = TileOrigin::of(args, cta % tiles_m * Config::kTiling.block_m,
                                         cta / tiles_m * Config::kTiling.block_n);
  const i32 warp = ptx::uniform_warp_index();
  const i32 warpgroup = warp / kWarpsPerWarpgroup;
  KBlockMark* const of_cta = marks + cta * Config::kConsumerWarpgroups * args.k_blocks;
  RingState<Config> ring;
  if constexpr (kSpecialized) {
    if (warpgroup == Config::kConsumerWarpgroups) {
      ptx::setmaxnreg_dec<kRoleRegisters.producer>();
      if (warp == Config::kConsumerWarpgroups * kWarpsPerWarpgroup) {
        for (i32 k_block = 0; k_block < args.k_blocks; ++k_block) {
          load_noted(args, smem, ring.load, tile, k_block, of_cta);
        }
      }
      return;
    }
    ptx::setmaxnreg_inc<kRoleRegisters.consumer>();
  }
  const bool loads = !kSpecialized && warp == 0;
  if (loads) {
    for (i32 k_block = 0; k_block < min_of(Config::kTiling.stages, args.k_blocks); ++k_block) {
      load_noted(args, smem, ring.load, tile, k_block, of_cta);
    }
  }
  const OperandDescriptors operands =
      OperandDescriptors::of(smem, WarpgroupPlace::of<Config>(warpgroup));
  Accumulator<Config> acc;
  MarkedOperation operation{
      {operands, acc}, of_cta + warpgroup * args.k_blocks, threadIdx.x % kThreadsPerWarpgroup == 0};
  const Stopwatch whole = Stopwatch::start();
  multiply_k_blocks(
      smem, operation, ring.consume, ring.release, args.k_blocks, kAlone,
      [&](i32 k_block) {
        const i32 next = k_block - Config::kInflight + Config::kTiling.stages;
        if (loads && k_block >= Config::kInflight && next < args.k_blocks) {
          load_noted(args, smem, ring.load, tile, next, of_cta);
        }
      },
      [] {});
  if (threadIdx.x == 0) {
    samples[cta] = whole.stop(static_cast<u64>(args.k_blocks));
  }
  if (tiles_m == 0) {  // never: the assembler drops wgmmas whose result nobody could read
    for (i32 i = 0; i < Config::kMmasAlongM; ++i) {
      for (i32 column = 0; column < Config::kWarpgroupColumns; column += 8) {
        reinterpret_cast<float*>(samples)[threadIdx.x] += *acc.eight_columns(i, column);
      }
    }
  }
}

}  // namespace tilecast
