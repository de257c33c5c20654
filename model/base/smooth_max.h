// The maximum of quantities that delay each other where they are about equal: the P-th root of the
// sum of their P-th powers. Of two equal ones it is 2^(1/P) times each; as P grows, the maximum.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "model/base/units.h"

namespace tilecast {

/// Of quantities that are not negative.
template <int P, class Tag>
Quantity<Tag> smooth_max(std::initializer_list<Quantity<Tag>> all) {
  static_assert(P == 3 || P == 8);  // without a general power, which takes several times as long
  const Quantity<Tag> most = std::max(all);
  if (most.value == 0) {
    return most;
  }
  double sum = 0;
  for (const Quantity<Tag>& one : all) {
    const double share = one / most, square = share * share;
    sum += P == 3 ? square * share : square * square * (square * square);
  }
  return most * (P == 3 ? std::cbrt(sum) : std::sqrt(std::sqrt(std::sqrt(sum))));
}

}  // namespace tilecast
