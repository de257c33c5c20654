#include "model/form/panel_reuse.h"

#include "tests/catch.h"

using namespace tilecast;

TEST_CASE("A panel misses L2 more the more distinct bytes lie between its uses") {
  // Panels of 100 bytes, an L2 of 1,000. After 1,500 bytes half of a panel is left.
  const auto read_again_after = [](double bytes) {
    PanelReuse reuse({Bytes{100}, Bytes{100}});
    CHECK(reuse.use(0, 0, Bytes{0}, Bytes{1e9}, Bytes{1000}).value == 100);
    CHECK(reuse.use(0, 0, Bytes{0}, Bytes{1e9}, Bytes{1000}).value == 0);  // once per wave
    reuse.use(0, 1, Bytes{bytes}, Bytes{1e9}, Bytes{1000});
    CHECK(reuse.sharers(4) == 2);
    return reuse.read().value - 100;
  };
  CHECK(read_again_after(1000) == 0);
  CHECK(read_again_after(1500) == 50);
  CHECK(read_again_after(2000) == 100);
}
