#include "model/spec/row_cost.h"

#include "tests/catch.h"

namespace tilecast {
namespace {

TEST_CASE("Rows aligned to lines touch no other line; unaligned rows touch one more") {
  const RowCost on_lines = row_cost(128, 256);
  CHECK(on_lines.lines == 1);
  CHECK(on_lines.sectors == 4);
  CHECK(on_lines.pairs == 2);
  CHECK(on_lines.shifted_pairs == 0);
  // Rows start at 0, 32, 64 and 96. All touch four sectors. Those at 0 and 64 touch two pairs;
  // those at 32 and 96 cut pairs and touch three.
  const RowCost by_32 = row_cost(128, 128 + 32);
  CHECK(by_32.lines == 7.0 / 4);
  CHECK(by_32.sectors == 4);
  CHECK(by_32.pairs == 2.5);
  CHECK(by_32.shifted_sectors == 0);
}

TEST_CASE("Rows that start inside a sector touch one more, and are counted as shifted") {
  // Rows start at 0, 16, 32, ..., 112; every second one starts inside a sector and touches five.
  const RowCost by_16 = row_cost(128, 128 + 16);
  CHECK(by_16.lines == 15.0 / 8);
  CHECK(by_16.sectors == 4.5);
  CHECK(by_16.partial_sectors == 1);  // two of every second row
  CHECK(by_16.shifted_sectors == 2.5);
  CHECK(by_16.shifted_pairs == 1.5);
}

TEST_CASE("A short row touches only its own sectors") {
  const RowCost half = row_cost(64, 8192);
  CHECK(half.lines == 1);
  CHECK(half.sectors == 2);
  CHECK(half.pairs == 1);
  CHECK(half.partial_sectors == 0);
  CHECK(row_cost(16, 8192).partial_sectors == 1);
}

}  // namespace
}  // namespace tilecast
