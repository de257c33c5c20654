// Divides by a number known before the kernel starts, using one multiplication and a shift; a
// division would take about a hundred cycles on the GPU. Round-up method for 31-bit numerators
// (Granlund and Montgomery, "Division by Invariant Integers using Multiplication"). Checked by:
// tile_scheduler_test.cpp (compared with operator /).
#pragma once

#include "model/base/host_device.h"
#include "model/base/integers.h"

namespace tilecast {

struct FastDivisor {
  u32 divisor;
  u32 multiplier;
  u32 shift;

  /// `divisor` is from 1 to 2^31 - 1.
  TILECAST_HD static constexpr FastDivisor of(u32 divisor) {
    u32 shift = 0;
    while ((u64{1} << shift) < divisor) {
      ++shift;
    }
    return {divisor, static_cast<u32>((u64{1} << (31 + shift)) / divisor + 1), shift};
  }

  /// `numerator` is below 2^31.
  TILECAST_HD constexpr u32 quotient(u32 numerator) const {
    return static_cast<u32>((static_cast<u64>(numerator) * multiplier >> 31) >> shift);
  }
  TILECAST_HD constexpr u32 remainder(u32 numerator) const {
    return numerator - quotient(numerator) * divisor;
  }
};

}  // namespace tilecast
