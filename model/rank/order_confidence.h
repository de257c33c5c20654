// Confidence in the order of two kernels of one problem, by the difference of their predicted
// times.
//
// It is counted and not modelled: of the pairs of kernels of held-out problems on an H200 of which
// one was predicted within 10 % of the problem's best, the fraction that was measured in the
// predicted order (docs/model.md, Intervals). Not modelled: similar kernels have correlated errors,
// so their order is more certain than that of other pairs with the same difference. Checked by:
// order_confidence_test.cpp, committed_data_test.cpp.
#pragma once

#include <algorithm>

#include "model/base/regime.h"

namespace tilecast {

struct OrderedPairs {
  double up_to;             // predicted time of the slower kernel / that of the faster one, minus 1
  double burst, sustained;  // fractions of measured pairs
};

// Sustained: 35 to 262 pairs in each row, after pairs up to 2 % were merged. Bursts: a thousand
// pairs and more.
constexpr OrderedPairs kOrderedPairs[] = {{0.01, 0.65, 0.65},
                                          {0.02, 0.80, 0.65},
                                          {0.05, 0.93, 0.77},
                                          {0.1, 0.98, 0.98},
                                          {1e9, 0.99, 0.99}};

constexpr const OrderedPairs* pairs_apart(double apart) {
  return std::ranges::find_if(kOrderedPairs, [&](OrderedPairs p) { return apart < p.up_to; });
}

constexpr double share_in_order(double apart, Regime regime) {
  const OrderedPairs& pairs = *pairs_apart(apart);
  return regime == Regime::kBurst ? pairs.burst : pairs.sustained;
}

/// Whether two kernels this far apart are too close to call.
constexpr bool too_close(double apart, Regime regime) {
  constexpr double kSure = 0.8;
  return share_in_order(apart, regime) < kSure;
}

}  // namespace tilecast
