// Key: machine.intake with multicast.
//
// Method: the CTAs of a cluster run the ring of tma_ring.cu together: of each load every CTA asks
// for its share and has it multicast to all. A slot is asked for again `lag` turns after every CTA
// has seen it full: the arrivals of the others are then there, and cost no turn. With one slot and
// no lag the time per load is a latency, with many a rate; `multicast` 0 has every CTA load the
// whole by itself under the same barriers, so that the difference is multicast alone.
//
// Excludes: consumers; clusters larger than four.
#include "kernels/micro/slot_ring.cuh"
#include "kernels/micro/start_line.cuh"
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/bulk_copy.cuh"
#include "kernels/ptx/cluster.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

constexpr u32 kCluster = TILECAST_CLUSTER;

extern "C" __global__ void __launch_bounds__(32)
    tilecast_tma_multicast(const char* memory, u64 region, u32 bytes, u32 slots, u32 lag, u32 loads,
                           u32 multicast, u32* counter, TimedSample* samples) {
  extern __shared__ __align__(128) char dynamic[];
  __shared__ __align__(8) u64 full[kMostSlots], empty[kMostSlots];
  const u32 buffer = ptx::shared_address(dynamic);
  const u32 rank = ptx::cluster_cta_rank();
  const SlotRing loaded{ptx::shared_address(full), slots}, seen{ptx::shared_address(empty), slots};
  if (threadIdx.x == 0) {
    SlotRing::init(full, slots);
    SlotRing::init(empty, slots, kCluster);
  }
  __syncwarp();
  ptx::cluster_arrive();
  ptx::cluster_wait();
  if (ptx::elect_one()) {
    const bool together = wait_for_grid(counter);
    const char* source = memory + blockIdx.x / kCluster * region;
    const u32 share = bytes / kCluster;
    const auto issue = [&](u32 i, u32 slot) {
      const u32 barrier = loaded.barrier(slot);
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
    SlotPlace at, refilled;
    for (u32 i = 0; i < loads; ++i) {
      loaded.wait(at);
      if (i + slots < loads) {
        for (u32 peer = 0; peer < kCluster; ++peer) {
          ptx::mbarrier_arrive_remote(seen.barrier(at.slot), peer);
        }
      }
      at.advance(slots);
      if (i >= lag && i - lag + slots < loads) {
        seen.wait(refilled);
        issue(i - lag + slots, refilled.slot);
        refilled.advance(slots);
      }
    }
    const TimedSample sample = watch.stop(static_cast<u64>(loads) * bytes);
    if (together) {  // the peers of a cluster need this CTA's loads either way
      samples[blockIdx.x] = sample;
    }
  }
  __syncwarp();
  ptx::cluster_arrive();
  ptx::cluster_wait();
}

}  // namespace tilecast
