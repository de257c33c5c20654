// Positions in rings of buffers that are guarded by mbarriers. Compiled by the kernels and by the
// host, which tests them against a counting barrier (ring_position_test.cpp).
//
// Use number k takes buffer k % count in round k / count. A wait until the buffer is full uses the
// parity of the round. A wait until it is empty uses the opposite parity, so that in the first
// round every buffer is free.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"

namespace tilecast {

/// Position in the ring of stages. The B ring may be longer than the A ring (smem_layout.h).
template <i32 kStages, i32 kBStages>
struct RingPositionOf {
  i32 stage = 0;
  u32 phase = 0;
  i32 longer = 0;  // position in the B ring if it is longer

  TILECAST_HD constexpr i32 b_stage() const { return kBStages > kStages ? longer : stage; }

  TILECAST_HD constexpr void advance() {
    if (++stage == kStages) {
      stage = 0;
      phase ^= 1;
    }
    if (kBStages > kStages && ++longer == kBStages) {
      longer = 0;
    }
  }
};

/// Position in another ring of buffers: accumulators or scheduler responses.
template <i32 kCount>
struct BufferPosition {
  i32 index = 0;
  u32 phase = 0;

  TILECAST_HD constexpr void advance() {
    if (++index == kCount) {
      index = 0;
      phase ^= 1;
    }
  }
};

}  // namespace tilecast
