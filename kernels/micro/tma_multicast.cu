// Key: tma.multicast_latency, sm.intake with multicast.
// Method: the CTAs of a cluster run the ring of tma_ring.cu together: of each load every CTA asks
// for its share and has it multicast to all. A slot is asked for again `lag` turns after every CTA
// has seen it full: the arrivals of the others are then there, and cost no turn. With one slot and
// no lag the time per load is a latency, with many a rate; `multicast` 0 has every CTA load the
// whole by itself under the same barriers, so that the difference is multicast alone.
// Excludes: consumers; clusters larger than four.
#include "kernels/micro/start_line.cuh"
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/bounded_wait.cuh"
#include "kernels/ptx/bulk_copy.cuh"
#include "kernels/ptx/cluster.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

constexpr u32 kMostSlots = 64;
constexpr u32 kCluster = TILECAST_CLUSTER;

extern "C" __global__ void __launch_bounds__(32)
    tilecast_tma_multicast(const char* memory, u64 region, u32 bytes, u32 slots, u32 lag, u32 loads,
                           u32 multicast, u32* counter, TimedSample* samples) {
  extern __shared__ __align__(128) char dynamic[];
  __shared__ __align__(8) u64 full[kMostSlots], empty[kMostSlots];
  const u32 first_full = ptx::shared_address(full), first_empty = ptx::shared_address(empty);
  const u32 buffer = ptx::shared_address(dynamic);
  const u32 rank = ptx::cluster_cta_rank();
  if (threadIdx.x == 0) {
    for (u32 slot = 0; slot < slots; ++slot) {
      ptx::mbarrier_init(first_full + slot * 8, 1);
      ptx::mbarrier_init(first_empty + slot * 8, kCluster);
    }
    ptx::fence_mbarrier_init();
  }
  __syncwarp();
  ptx::cluster_arrive();
  ptx::cluster_wait();
  if (ptx::elect_one()) {
    wait_for_grid(counter);
    const char* source = memory + blockIdx.x / kCluster * region;
    const u32 share = bytes / kCluster;
    const auto issue = [&](u32 i, u32 slot) {
      const u32 barrier = first_full + slot * 8;
      const char* from = source + static_cast<u64>(i) * bytes % region;
      ptx::mbarrier_arrive_expect_tx(barrier, bytes);
      if (multicast != 0) {
        ptx::bulk_load_multicast(buffer + slot * bytes + rank * share, from + rank * share, share,
                                 barrier, static_cast<unsigned short>((1u << kCluster) - 1));
      } else {
        ptx::bulk_load(buffer + slot * bytes, from, bytes, barrier);
      }
    };
    const Stopwatch watch = Stopwatch::start();
    for (u32 i = 0; i < slots && i < loads; ++i) {
      issue(i, i);
    }
    u32 slot = 0, phase = 0, refilled = 0, refilled_phase = 0;
    for (u32 i = 0; i < loads; ++i) {
      ptx::mbarrier_wait_or_trap(first_full + slot * 8, phase);
      if (i + slots < loads) {
        for (u32 peer = 0; peer < kCluster; ++peer) {
          ptx::mbarrier_arrive_remote(first_empty + slot * 8, peer);
        }
      }
      if (++slot == slots) {
        slot = 0;
        phase ^= 1;
      }
      if (i >= lag && i - lag + slots < loads) {
        ptx::mbarrier_wait_or_trap(first_empty + refilled * 8, refilled_phase);
        issue(i - lag + slots, refilled);
        if (++refilled == slots) {
          refilled = 0;
          refilled_phase ^= 1;
        }
      }
    }
    samples[blockIdx.x] = watch.stop(static_cast<u64>(loads) * bytes);
  }
  __syncwarp();
  ptx::cluster_arrive();
  ptx::cluster_wait();
}

}  // namespace tilecast
