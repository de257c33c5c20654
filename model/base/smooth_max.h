// The maximum of quantities that delay each other where they are about equal: the P-th root of the
// sum of their P-th powers. Of two equal ones it is 2^(1/P) times each; as P grows, the maximum.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "model/base/units.h"

namespace tilecast {

// Chosen, not fitted, and no others do clearly better: judged cycles by closed form, physics alone,
// are 7.9 % off with 3 and 8, 8.9 % with 4 and 13.0 % with 2 in the place of 3, 7.8 % with 6
// and 8.4 % with the maximum in the place of 8 (docs/dev/notebook/2026-11.md, One machine).
constexpr int kInBursts = 3;  // requests to memory, which come in bursts
constexpr int kQueued = 8;    // a tensor pipe, which has its work queued

/// Of quantities that are not negative.
template <int P, class Tag>
Quantity<Tag> smooth_max(std::initializer_list<Quantity<Tag>> all) {
  static_assert(P == kInBursts ||
                P == kQueued);  // without a general power, which takes several times as long
  const Quantity<Tag> most = std::max(all);
  if (most.value == 0) {
    return most;
  }
  double sum = 0;
  for (const Quantity<Tag>& one : all) {
    const double share = one / most, square = share * share;
    sum += P == kInBursts ? square * share : square * square * (square * square);
  }
  return most * (P == kInBursts ? std::cbrt(sum) : std::sqrt(std::sqrt(std::sqrt(sum))));
}

}  // namespace tilecast
