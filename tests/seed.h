// The seed of randomized tests. It changes daily, so that the space is covered over time;
// TILECAST_TEST_SEED repeats a day.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace tilecast {

/// Returns the day's seed, and prints it under this name.
inline unsigned daily_seed(const char* what) {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  const auto day = std::chrono::duration_cast<std::chrono::days>(since_epoch).count();
  const char* given = std::getenv("TILECAST_TEST_SEED");
  const auto seed = given == nullptr ? static_cast<unsigned>(day)
                                     : static_cast<unsigned>(std::strtoul(given, nullptr, 10));
  std::printf("%s: TILECAST_TEST_SEED=%u\n", what, seed);
  std::fflush(stdout);
  return seed;
}

/// Rotates long lists over days: of every `parts` consecutive queries, one is due on a given day.
/// With TILECAST_TEST_ALL=1, as in the nightly tests, all are.
class Turns {
 public:
  Turns(const char* what, unsigned parts)
      : parts_(std::getenv("TILECAST_TEST_ALL") == nullptr ? parts : 1),
        next_(daily_seed(what) % parts) {}

  bool due() { return next_++ % parts_ == 0; }

 private:
  unsigned parts_, next_;
};

}  // namespace tilecast
