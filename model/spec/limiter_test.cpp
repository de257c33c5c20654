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
