#include "model/rank/bottleneck.h"

#include "tests/catch.h"

namespace tilecast {
namespace {

TEST_CASE("A resource that is nearly idle is not the bottleneck") {
  Shares busy{};
  busy.dram = 0.9;
  busy.tensor = 0.149;  // the limit is 15 % of the time
  CHECK(bottleneck(busy, Limiter::kTensor) == Limiter::kLatency);
  busy.tensor = 0.151;
  CHECK(bottleneck(busy, Limiter::kTensor) == Limiter::kTensor);
  CHECK(bottleneck(busy, Limiter::kDram) == Limiter::kDram);
  CHECK(bottleneck(busy, Limiter::kL2) == Limiter::kLatency);
  // The epilogue has no rate, so it cannot be nearly idle.
  CHECK(bottleneck({}, Limiter::kEpilogue) == Limiter::kEpilogue);
}

}  // namespace
}  // namespace tilecast
