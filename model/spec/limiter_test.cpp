#include "model/spec/limiter.h"

#include "tests/catch.h"

using namespace tilecast;

TEST_CASE("A resource that is busy most of the time is the bottleneck, else the analytic model's") {
  CHECK(limiter_of({.tensor = 0.75, .l2 = 0.8}, Limiter::kLatency) == Limiter::kL2);
  CHECK(limiter_of({.tensor = 0.6, .l2 = 0.5}, Limiter::kLatency) == Limiter::kLatency);
}
