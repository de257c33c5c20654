// Multiplies an fp8 C by a scale.
#pragma once

#include "model/gemm/output/step.h"

namespace tilecast {

struct ScaleC : NoStep {
  static constexpr OutputKind kKind = OutputKind::kConvert;
  static constexpr const char* kWord = "scale_c";
  static constexpr const char* kMeaning =
      "multiplies the result by an fp32 scale on the device before rounding to fp8";
  static constexpr ElementWork kWork{.issued = 1};

  template <class Math>
  TILECAST_HD static constexpr typename Math::Real apply(typename Math::Real x,
                                                         typename Math::Real scale) {
    return x * scale;
  }
};

}  // namespace tilecast
