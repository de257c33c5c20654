// GELU as a gate.
#pragma once

#include "model/gemm/output/gelu.h"

namespace tilecast {

struct Geglu : Gate {
  static constexpr const char* kWord = "geglu";
  static constexpr const char* kMeaning =
      "gelu of column 2j of A B, times column 2j + 1: column j of C";
  static constexpr ElementWork kWork{.issued = 4.5, .special = 0.5};
  static constexpr bool kApproximate = true;

  template <class Math>
  TILECAST_HD static typename Math::Real apply(typename Math::Real x, typename Math::Real next) {
    return Gelu::apply<Math>(x) * next;
  }
};

}  // namespace tilecast
