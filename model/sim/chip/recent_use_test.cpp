#include "model/sim/chip/recent_use.h"

#include "tests/catch.h"

using namespace tilecast;

namespace {

constexpr i64 kWindow = 1 << 20;  // ps

}  // namespace

TEST_CASE("What nobody has asked anything is idle") { CHECK(RecentUse().share({0}) == 0); }

TEST_CASE("What was asked counts whole in its window, fades over the next and is forgotten") {
  RecentUse use;
  use.add({kWindow / 2}, {kWindow / 4});
  CHECK(use.share({kWindow / 2}) == 256);  // a quarter of 1024
  CHECK(use.share({kWindow}) == 256);
  CHECK(use.share({kWindow + kWindow / 2}) == 128);
  CHECK(use.share({2 * kWindow}) == 0);
  use.add({kWindow}, {kWindow / 2});
  CHECK(use.share({kWindow + kWindow / 2}) == 128 + 512);
  use.add({9 * kWindow}, {kWindow / 8});  // the windows between were idle
  CHECK(use.share({9 * kWindow}) == 128);
}

TEST_CASE("Nothing is busy for more than all of the time") {
  RecentUse use;
  use.add({0}, {3 * kWindow});
  CHECK(use.share({0}) == 1024);
  CHECK(use.share({kWindow + kWindow / 2}) == 1024);
}
