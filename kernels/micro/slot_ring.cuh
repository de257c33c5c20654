// A ring of shared-memory slots that one thread fills, each with a barrier that completes when its
// data has arrived.
#pragma once

#include "kernels/ptx/bounded_wait.cuh"
#include "kernels/ptx/mbarrier.cuh"

namespace tilecast {

constexpr u32 kMostSlots = 64;

/// Index of a slot in the ring, and its phase.
struct SlotPlace {
  u32 slot = 0, phase = 0;

  __device__ __forceinline__ void advance(u32 slots) {
    if (++slot == slots) {
      slot = 0;
      phase ^= 1;
    }
  }
};

struct SlotRing {
  u32 barriers, slots;

  /// Called by one thread; `barriers` is in shared memory and has at least `slots` entries.
  __device__ __forceinline__ static SlotRing init(u64* barriers, u32 slots, u32 arrivals = 1) {
    const SlotRing ring{ptx::shared_address(barriers), slots};
    for (u32 slot = 0; slot < slots; ++slot) {
      ptx::mbarrier_init(ring.barrier(slot), arrivals);
    }
    ptx::fence_mbarrier_init();
    return ring;
  }
  __device__ __forceinline__ u32 barrier(u32 slot) const { return barriers + slot * 8; }
  __device__ __forceinline__ void wait(SlotPlace place) const {
    ptx::mbarrier_wait_or_trap(barrier(place.slot), place.phase);
  }

  /// Calls `issue(slot)` `turns` times with all slots in flight, and waits for the last one.
  template <class Issue>
  __device__ __forceinline__ void run(u32 turns, const Issue& issue) const {
    const u32 ahead = turns < slots ? turns : slots;
    for (u32 slot = 0; slot < ahead; ++slot) {
      issue(slot);
    }
    SlotPlace place;
    for (u32 i = 0; i < turns; ++i) {
      wait(place);
      if (i + slots < turns) {
        issue(place.slot);
      }
      place.advance(slots);
    }
  }
};

}  // namespace tilecast
