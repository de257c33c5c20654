#include "model/tile/operand_panels.h"

#include "tests/catch.h"

namespace tilecast {

TEST_CASE("Products of a batch read panels of their own, or those of the matrix that they share") {
  // Three products of 2 x 4 tiles: six rows of tiles.
  const OperandPanels own = OperandPanels::of({3}, 2, 4);
  CHECK(own.of_a() == 6);
  CHECK(own.of_b() == 12);
  CHECK(own.a({5, 3}) == 5);
  CHECK(own.b({1, 3}) == 3);   // of the first product
  CHECK(own.b({2, 0}) == 4);   // the second one's first
  CHECK(own.b({5, 3}) == 11);  // the last one's last

  const OperandPanels one_a = OperandPanels::of({3, true}, 2, 4);
  CHECK(one_a.of_a() == 2);
  CHECK(one_a.a({5, 3}) == 1);
  CHECK(one_a.b({5, 3}) == 11);

  const OperandPanels one_b = OperandPanels::of({3, false, true}, 2, 4);
  CHECK(one_b.of_b() == 4);
  CHECK(one_b.a({5, 3}) == 5);
  CHECK(one_b.b({5, 3}) == 3);
}

TEST_CASE("One product reads the panels of its tiles' rows and columns") {
  const OperandPanels panels = OperandPanels::of({}, 2, 4);
  CHECK(panels.a({1, 3}) == 1);
  CHECK(panels.b({1, 3}) == 3);
}

}  // namespace tilecast
