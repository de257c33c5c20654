// Key: cluster.copy_latency, cluster.copy_rate: what CTAs of a cluster move into each other's
// shared memory by the copy engine.
//
// Method: in every CTA one thread sends copies of `bytes` to its peers, the next in rank alone or
// all in turn, as many as it gets, `slots` of them on their way. A slot is sent to again once its
// receiver says that it expects the next copy: without, a barrier may count bytes of two copies in
// one phase and never flip. Latency: two CTAs in turn, half a round trip from issue to wake.
//
// Excludes: whoever writes the source and reads the destination.
#include "kernels/micro/slot_ring.cuh"
#include "kernels/micro/start_line.cuh"
#include "kernels/micro/stopwatch.cuh"
#include "kernels/ptx/bulk_copy.cuh"
#include "kernels/ptx/cluster.cuh"
#include "kernels/ptx/warp.cuh"

namespace tilecast {

constexpr u32 kCluster = TILECAST_CLUSTER;

/// Of turn i from a sender to its receiver, in ranks.
__device__ inline u32 distance(u32 i, u32 all_peers) {
  return all_peers != 0 ? 1 + i % (kCluster - 1) : 1;
}

/// In turn with the CTA whose rank differs in its last bit.
__device__ inline TimedSample in_turn(const SlotRing& full, u32 from, u32 to, u32 bytes, u32 turns,
                                      u32 rank) {
  const Stopwatch watch = Stopwatch::start();
  for (u32 i = 0; i < turns; ++i) {
    if (rank % 2 == 0) {
      ptx::bulk_copy_to_cta(to, from, bytes, full.barrier(0), rank ^ 1);
    }
    ptx::mbarrier_wait_or_trap(full.barrier(0), i & 1);
    ptx::mbarrier_arrive_expect_tx(full.barrier(0), i + 1 < turns ? bytes : 0);
    if (rank % 2 != 0) {
      ptx::bulk_copy_to_cta(to, from, bytes, full.barrier(0), rank ^ 1);
    }
  }
  return watch.stop(2ull * turns);
}

extern "C" __global__ void __launch_bounds__(32)
    tilecast_dsmem_copy(u32 bytes, u32 slots, u32 turns, u32 all_peers, u32* counter,
                        TimedSample* samples) {
  extern __shared__ __align__(128) char dynamic[];
  __shared__ __align__(8) u64 full_words[kMostSlots], ready_words[kMostSlots];
  const u32 from = ptx::shared_address(dynamic), to = from + bytes;
  const u32 rank = ptx::cluster_cta_rank();
  const SlotRing full{ptx::shared_address(full_words), slots};
  const SlotRing ready{ptx::shared_address(ready_words), slots};
  if (threadIdx.x == 0) {
    SlotRing::init(full_words, slots);
    SlotRing::init(ready_words, slots);
    for (u32 slot = 0; slot < slots; ++slot) {
      ptx::mbarrier_arrive_expect_tx(full.barrier(slot), bytes);
    }
  }
  __syncwarp();
  ptx::cluster_arrive();
  ptx::cluster_wait();
  if (ptx::elect_one()) {
    const bool together = wait_for_grid(counter);
    const auto send = [&](u32 i, u32 slot) {
      ptx::bulk_copy_to_cta(to + slot * bytes, from, bytes, full.barrier(slot),
                            (rank + distance(i, all_peers)) % kCluster);
    };
    TimedSample sample;
    if (slots == 1) {
      sample = in_turn(full, from, to, bytes, turns, rank);
    } else {
      const Stopwatch watch = Stopwatch::start();
      for (u32 i = 0; i < slots; ++i) {
        send(i, i);
      }
      SlotPlace at, again;
      constexpr u32 kLag = 2;  // turns that a receiver has to say so
      for (u32 i = 0; i < turns; ++i) {
        full.wait(at);
        if (i + slots < turns) {
          ptx::mbarrier_arrive_expect_tx(full.barrier(at.slot), bytes);
          const u32 sender = rank + kCluster - distance(i + slots, all_peers);
          ptx::mbarrier_arrive_remote(ready.barrier(at.slot), sender % kCluster);
        }
        at.advance(slots);
        if (i >= kLag && i - kLag + slots < turns) {
          ready.wait(again);
          send(i - kLag + slots, again.slot);
          again.advance(slots);
        }
      }
      sample = watch.stop(static_cast<u64>(turns) * bytes);
    }
    if (together) {  // the peers of a cluster need this CTA's copies either way
      samples[blockIdx.x] = sample;
    }
  }
  __syncwarp();
  ptx::cluster_arrive();
  ptx::cluster_wait();
}

}  // namespace tilecast
