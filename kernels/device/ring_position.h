// Places in rings of buffers that mbarriers guard. Compiled by the kernels and by the host, which
// walks them against a counted barrier (ring_position_test.cpp).
//
// The k-th use overall takes buffer k % count, in round k / count. Who waits for it to be full
// waits for the parity of the round; who waits for it to be empty, for the opposite one, so that
// the first round finds every buffer free.
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"

namespace tilecast {

/// In the ring of stages. The B ring may be longer than the A ring (smem_layout.h).
template <i32 kStages, i32 kBStages>
struct RingPositionOf {
  static constexpr bool kLongerBRing = kBStages > kStages;

  i32 stage = 0;
  u32 phase = 0;
  i32 longer = 0;  // the place in a longer B ring

  TILECAST_HD constexpr i32 b_stage() const { return kLongerBRing ? longer : stage; }

  TILECAST_HD constexpr void advance() {
    if (++stage == kStages) {
      stage = 0;
      phase ^= 1;
    }
    if (kLongerBRing && ++longer == kBStages) {
      longer = 0;
    }
  }
};

/// In a ring of other buffers: accumulators, answers.
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
