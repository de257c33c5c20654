// Finds the maximum magnitude of the result.
#pragma once

#include "model/gemm/output/step.h"

namespace tilecast {

struct Amax : NoStep {
  static constexpr OutputKind kKind = OutputKind::kAmax;
  static constexpr const char* kWord = "amax";
  static constexpr const char* kMeaning =
      "computes the largest magnitude of the result, an fp32 value on the device";
  // Counts a mask, a comparison and a bounds check.
  static constexpr ElementWork kWork{.issued = 4};

  /// Returns the magnitude bits of a float; NaN compares larger than all numbers.
  TILECAST_HD static constexpr u32 magnitude(u32 bits) { return bits & 0x7fffffffu; }
};

}  // namespace tilecast
