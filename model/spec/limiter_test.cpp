#include "model/spec/limiter.h"

#include "model/base/error.h"
#include "tests/catch.h"

using namespace tilecast;

TEST_CASE("Every limiter has a word of its own, which names it") {
  for (const Limiter limiter : kEveryLimiter) {
    CHECK(parse_limiter(to_text(limiter)) == limiter);
  }
  CHECK_THROWS_AS(parse_limiter("overhead"), ConfigError);
}

TEST_CASE("A part that is busy most of the time limits a kernel, else what closed forms say") {
  CHECK(limiter_of({.tensor = 0.75, .l2 = 0.8}, Limiter::kLatency) == Limiter::kL2);
  CHECK(limiter_of({.tensor = 0.6, .l2 = 0.5}, Limiter::kLatency) == Limiter::kLatency);
}
