#include "model/sim/chip/recent_use.h"

#include "tests/catch.h"

using namespace tilecast;

namespace {

constexpr i64 kWindow = 1 << 20;  // ps

}  // namespace

TEST_CASE("A part without requests is idle") { CHECK(RecentUse().share({0}) == 0); }

TEST_CASE("A request counts in full in its window, fades over the next and is then forgotten") {
  RecentUse use;
  use.add({kWindow / 2}, {kWindow / 4});
  CHECK(use.share({kWindow / 2}) == 256);  // a quarter of 1024
  CHECK(use.share({kWindow}) == 256);
  CHECK(use.share({kWindow + kWindow / 2}) == 128);
  CHECK(use.share({2 * kWindow}) == 0);
  use.add({kWindow}, {kWindow / 2});
  CHECK(use.share({kWindow + kWindow / 2}) == 128 + 512);
  use.add({9 * kWindow}, {kWindow / 8});  // the windows in between were idle
  CHECK(use.share({9 * kWindow}) == 128);
}

TEST_CASE("Utilization never exceeds 100 %") {
  RecentUse use;
  use.add({0}, {3 * kWindow});
  CHECK(use.share({0}) == 1024);
  CHECK(use.share({kWindow + kWindow / 2}) == 1024);
}
