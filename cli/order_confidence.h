// How sure the order of two kernels of one problem is, by how far apart their predicted times are.
//
// Counted, not modelled: of pairs of kernels on an H200 whose problems no fit has seen, of which
// one is predicted within 10 % of the problem's best, how many were measured in the predicted order
// (docs/model.md, Intervals). Leaves out: that kernels which differ little are wrong together, so
// that their order is surer than that of others as far apart. Checked by:
// order_confidence_test.cpp, committed_data_test.cpp.
#pragma once

#include <algorithm>

#include "model/base/regime.h"

namespace tilecast {

struct OrderedPairs {
  double up_to;             // the slower one's predicted time over the faster one's, less 1
  double burst, sustained;  // shares of measured pairs
};

// Sustained: of 37 to 263 pairs each, up to 2 % as one; in bursts of a thousand and more.
constexpr OrderedPairs kOrderedPairs[] = {{0.01, 0.66, 0.61},
                                          {0.02, 0.86, 0.61},
                                          {0.05, 0.92, 0.76},
                                          {0.1, 0.99, 0.98},
                                          {1e9, 0.99, 0.99}};

constexpr const OrderedPairs* pairs_apart(double apart) {
  return std::ranges::find_if(kOrderedPairs, [&](OrderedPairs p) { return apart < p.up_to; });
}

constexpr double share_in_order(double apart, Regime regime) {
  const OrderedPairs& pairs = *pairs_apart(apart);
  return regime == Regime::kBurst ? pairs.burst : pairs.sustained;
}

}  // namespace tilecast
