// SiLU as a gate.
#pragma once

#include "model/gemm/output/silu.h"

namespace tilecast {

struct Swiglu : Gate {
  static constexpr const char* kWord = "swiglu";
  static constexpr const char* kMeaning =
      "silu of column 2j of A B, times column 2j + 1: column j of C";
  static constexpr ElementWork kWork{.issued = 2, .special = 0.5};
  static constexpr bool kApproximate = true;

  template <class Math>
  TILECAST_HD static typename Math::Real apply(typename Math::Real x, typename Math::Real next) {
    return Silu::apply<Math>(x) * next;
  }
};

}  // namespace tilecast
