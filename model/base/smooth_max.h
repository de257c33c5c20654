// Smooth maximum: the P-th root of the sum of P-th powers, for resources that delay each other when
// they are about equally busy. Two equal values give 2^(1/P) times each; as P grows, it tends to
// the maximum.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "model/base/units.h"

namespace tilecast {

// Chosen by hand; other exponents are no better. Mean error of the uncorrected analytic model's
// cycles on held-out data: 7.9 % with 3 and 8; with another value for the 3: 8.9 % (4), 13.0 % (2);
// with another value for the 8: 7.8 % (6), 8.4 % (maximum). See docs/dev/notebook/2026-11.md, One
// machine.
constexpr int kAlternating = 2;  // ldmatrix and mma.sync of a warp, one mostly after the other:
                                 // chosen on validate/data/h200_sxm/multistage
constexpr int kInBursts = 3;     // memory requests, which come in bursts
constexpr int kQueued = 8;       // a tensor pipe with queued work

/// Values must not be negative.
template <int P, class Tag>
Quantity<Tag> smooth_max(std::initializer_list<Quantity<Tag>> all) {
  // avoids std::pow, which takes several times as long
  static_assert(P == kAlternating || P == kInBursts || P == kQueued);
  const Quantity<Tag> most = std::max(all);
  if (most.value == 0) {
    return most;
  }
  double sum = 0;
  for (const Quantity<Tag>& one : all) {
    const double share = one / most, square = share * share;
    sum += P == kAlternating ? square
           : P == kInBursts  ? square * share
                             : square * square * (square * square);
  }
  return most * (P == kAlternating ? std::sqrt(sum)
                 : P == kInBursts  ? std::cbrt(sum)
                                   : std::sqrt(std::sqrt(std::sqrt(sum))));
}

}  // namespace tilecast
