#include "model/rank/order_confidence.h"

#include <algorithm>

#include "tests/catch.h"

namespace tilecast {
namespace {

TEST_CASE("The larger the predicted difference, the surer the order") {
  CHECK(share_in_order(0, Regime::kBurst) == kOrderedPairs[0].burst);
  CHECK(share_in_order(0.0099, Regime::kBurst) == kOrderedPairs[0].burst);
  CHECK(share_in_order(0.02, Regime::kSustained) == kOrderedPairs[2].sustained);
  CHECK(share_in_order(3, Regime::kSustained) == std::rbegin(kOrderedPairs)->sustained);
  CHECK(std::ranges::is_sorted(kOrderedPairs, {}, &OrderedPairs::burst));
  CHECK(std::ranges::is_sorted(kOrderedPairs, {}, &OrderedPairs::sustained));
}

}  // namespace
}  // namespace tilecast
