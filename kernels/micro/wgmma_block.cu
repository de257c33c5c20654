// Key: machine.wgmma_issue, machine.mma_issue, machine.turn, machine.mma_queue: what a
// warpgroup spends on issuing the wgmmas of a whole K block, how far it runs ahead of the tensor
// cores, and when a load that follows them starts and lands.
//
// Method: the warpgroups of a GEMM tile issue a K block with the GEMM's own function, operands of
// zeros in one stage; TILECAST_BEFORE: behind another K block that is still in flight;
// TILECAST_MULTIPLY 0: nothing is issued, the rest stays. With a warp-specialised configuration
// warp 0, or a warp of the producer, then loads TILECAST_BOXES boxes of 16 KiB, which the latter
// waits for. Every time is counted from just before the K block: of warp 0 for the loads, of its
// own first warp for each warpgroup.
//
// Excludes: waiting for operands, which lie there; DRAM (the boxes lie in L2).
#include "kernels/device/mma.cuh"
#include "kernels/micro/stopwatch.cuh"
#include "kernels/micro/wgmma_block.h"
#include "kernels/ptx/bounded_wait.cuh"
#include "kernels/ptx/warp.cuh"
#include "model/gemm/config/register_plan.h"

namespace tilecast {

constexpr i32 kWarmUp = 4;  // rounds that fetch instructions and fill L2
constexpr i32 kLoadsOffset = loads_offset(Config::kSmem);
constexpr i32 kSyncOffset = sync_offset(Config::kSmem, TILECAST_BOXES);
constexpr bool kLoads = has_producer_warpgroup(Config::kKernel.schedule);
constexpr RegisterPlan kRoleRegisters = register_plan(
    Config::kConsumerWarpgroups, 1, default_producer_registers(Config::kConsumerWarpgroups));

static_assert(kLoads == (TILECAST_BOXES > 0), "who waits for the boxes is a warp of the producer");

/// Sums of cycles from the start of a round, of one warp.
struct Marks {
  u64 issued = 0, before_done = 0, done = 0;  // of a warpgroup
  u64 load_issued = 0, landed = 0;
};

__device__ inline void load_boxes(const TensorMap* map, u32 slots, u32 barrier, u32 round) {
  ptx::mbarrier_arrive_expect_tx(barrier, TILECAST_BOXES * kLoadBytes);
#pragma unroll
  for (u32 box = 0; box < TILECAST_BOXES; ++box) {
    const u32 column = (round * TILECAST_BOXES + box) * kLoadColumns % kMatrixColumns;
    ptx::tma_load_2d(slots + box * kLoadBytes, map, static_cast<i32>(column), 0, barrier);
  }
}

/// Of a warpgroup. The rounds' numbers go on where an earlier call ended.
__device__ __forceinline__ Marks multiply(const TensorMap* map, const SharedMemory<Config>& smem,
                                          const OperandDescriptors& operands,
                                          Accumulator<Config>& acc, WgmmaBlockSync* shared,
                                          LoadBy loader, u32 stages, u32 first, u32 rounds) {
  const bool tells = ptx::uniform_warp_index() == 0;
  Marks sum;
  for (u32 round = first; round < first + rounds; ++round) {
    RingPosition<Config> before, at;
    before.stage = static_cast<i32>((round + 1) & stages);
    at.stage = static_cast<i32>(round & stages);
    __syncthreads();
#if TILECAST_BEFORE
    mma_k_block(acc, operands, before, true);
#endif
    const u64 start = ptx::clock64_now();
#if TILECAST_MULTIPLY
    mma_k_block(acc, operands, at, true);
#endif
    const u64 issued = ptx::clock64_now();
    if (tells && loader == LoadBy::kOther) {
      if (ptx::elect_one()) {
        ptx::mbarrier_arrive(ptx::shared_address(&shared->go));
      }
      __syncwarp();
    }
    if (tells && loader == LoadBy::kIssuer) {
      if (ptx::elect_one()) {
        load_boxes(map, smem.base + kLoadsOffset, ptx::shared_address(&shared->full), round);
      }
      __syncwarp();
      sum.load_issued += ptx::clock64_now() - start;
    }
    ptx::wgmma_wait<1>();
    sum.before_done += ptx::clock64_now() - start;
    ptx::wgmma_wait<0>();
    sum.done += ptx::clock64_now() - start;
    sum.issued += issued - start;
    if (threadIdx.x == 0) {
      shared->start = start;
    }
    __syncthreads();
  }
  return sum;
}

/// Of the producer's warps, of which the first loads.
__device__ __forceinline__ Marks watch_loads(const TensorMap* map, const SharedMemory<Config>& smem,
                                             WgmmaBlockSync* shared, LoadBy loader, u32 first,
                                             u32 rounds) {
  const bool first_warp =
      ptx::uniform_warp_index() == Config::kConsumerWarpgroups * kWarpsPerWarpgroup;
  const u32 full = ptx::shared_address(&shared->full);
  Marks sum;
  for (u32 round = first; round < first + rounds; ++round) {
    __syncthreads();
    if (first_warp && loader == LoadBy::kOther) {
      ptx::mbarrier_wait_or_trap(ptx::shared_address(&shared->go), round & 1);
    }
    if (first_warp && (loader == LoadBy::kOther || loader == LoadBy::kOtherAtOnce)) {
      if (ptx::elect_one()) {
        load_boxes(map, smem.base + kLoadsOffset, full, round);
      }
      __syncwarp();
    }
    const u64 load_issued = ptx::clock64_now();
    if (first_warp && loader != LoadBy::kNobody) {
      ptx::mbarrier_wait_or_trap(full, round & 1);
    }
    const u64 landed = ptx::clock64_now();
    __syncthreads();
    sum.load_issued += load_issued - shared->start;
    sum.landed += landed - shared->start;
  }
  return sum;
}

__device__ inline TimedSample sample_of(u64 cycles, u32 rounds) {
  return {cycles, 0, rounds, ptx::smid(), 1};
}

/// Dynamic shared memory: kSyncOffset and a WgmmaBlockSync. by: a LoadBy, kNobody where
/// TILECAST_BOXES is 0; the loads' samples hold no cycles then. stages: 0; were it known that every
/// round reads stage 0, the descriptors would be ready before the round, but the GEMM makes them on
/// the way.
extern "C" __global__ void __launch_bounds__(Config::kThreads, 1)
    tilecast_wgmma_block(const __grid_constant__ TensorMap map, u32 rounds, u32 by, u32 stages,
                         TimedSample* samples) {
  extern __shared__ __align__(kSwizzleAtomBytes) char dynamic[];
  const SharedMemory<Config> smem = SharedMemory<Config>::here();
  for (i32 i = threadIdx.x; i < Config::kSmem.c_offset / 4; i += blockDim.x) {
    reinterpret_cast<u32*>(dynamic)[i] = 0;
  }
  ptx::fence_proxy_async();
  WgmmaBlockSync* shared = reinterpret_cast<WgmmaBlockSync*>(dynamic + kSyncOffset);
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(ptx::shared_address(&shared->full), 1);
    ptx::mbarrier_init(ptx::shared_address(&shared->go), 1);
    ptx::fence_mbarrier_init();
    ptx::prefetch_tensor_map(&map);
  }
  __syncthreads();
  const LoadBy loader = static_cast<LoadBy>(by);
  const i32 warp = ptx::uniform_warp_index();
  const i32 warpgroup = warp / kWarpsPerWarpgroup;
  if constexpr (kLoads) {
    if (warpgroup == Config::kConsumerWarpgroups) {
      ptx::setmaxnreg_dec<kRoleRegisters.producer>();
      watch_loads(&map, smem, shared, loader, 0, kWarmUp);
      const Marks marks = watch_loads(&map, smem, shared, loader, kWarmUp, rounds);
      if (threadIdx.x == Config::kConsumerWarpgroups * kThreadsPerWarpgroup) {
        samples[kLanded] = sample_of(marks.landed, rounds);
        if (loader != LoadBy::kIssuer) {
          samples[kLoadIssued] = sample_of(marks.load_issued, rounds);
        }
      }
      return;
    }
    ptx::setmaxnreg_inc<kRoleRegisters.consumer>();
  }
  const OperandDescriptors operands =
      OperandDescriptors::of(smem, WarpgroupPlace::of<Config>(warpgroup));
  Accumulator<Config> acc{};
  acc.fence();
  multiply(&map, smem, operands, acc, shared, loader, stages, 0, kWarmUp);
  const Stopwatch whole = Stopwatch::start();
  const Marks marks = multiply(&map, smem, operands, acc, shared, loader, stages, kWarmUp, rounds);
  const TimedSample all = whole.stop(rounds);
  acc.fence();
  if (rounds == 0) {  // never: the assembler drops wgmmas whose result nobody could read
    for (i32 i = 0; i < Config::kMmasAlongM; ++i) {
      for (i32 column = 0; column < Config::kWarpgroupColumns; column += 8) {
        reinterpret_cast<float*>(samples)[threadIdx.x] += *acc.eight_columns(i, column);
      }
    }
  }
  if (threadIdx.x % kThreadsPerWarpgroup == 0) {
    const auto put = [&](WgmmaWarpgroupSample which, u64 cycles) {
      samples[sample_of_warpgroup(warpgroup, which)] = sample_of(cycles, rounds);
    };
    put(kIssued, marks.issued);
    put(kBeforeDone, marks.before_done);
    put(kDone, marks.done);
  }
  if (threadIdx.x == 0) {
    samples[kWhole] = all;
    if (loader == LoadBy::kIssuer || !kLoads) {
      samples[kLoadIssued] = sample_of(marks.load_issued, rounds);
    }
    if (!kLoads) {
      samples[kLanded] = sample_of(0, rounds);
    }
  }
}

}  // namespace tilecast
