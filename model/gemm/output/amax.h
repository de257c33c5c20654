// The largest magnitude of a result.
#pragma once

#include "model/gemm/output/step.h"

namespace tilecast {

struct Amax : NoStep {
  static constexpr OutputKind kKind = OutputKind::kAmax;
  static constexpr const char* kWord = "amax";
  static constexpr const char* kMeaning =
      "finds the largest magnitude of the result, an fp32 number on the device";
  // Its mask, a comparison, and whether the element is within bounds.
  static constexpr ElementWork kWork{.issued = 4};

  /// Of a float; NaN is larger than all numbers, as the bits of magnitudes order them.
  TILECAST_HD static constexpr u32 magnitude(u32 bits) { return bits & 0x7fffffffu; }
};

}  // namespace tilecast
