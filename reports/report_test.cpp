#include "reports/report.h"

#include "tests/catch.h"

using namespace tilecast;

TEST_CASE("A number keeps its significant digits and no exponent, whatever its size") {
  CHECK(number_text(1234.5678, 6) == "1234.57");
  CHECK(number_text(0.00012346, 3) == "0.000123");
  CHECK(number_text(2.9802e9, 4) == "2980200000");  // whole digits are never cut off
  CHECK(number_text(-0.1206, 3) == "-0.121");
  CHECK(number_text(1.5, 4) == "1.5");  // no zeros behind it
  CHECK(number_text(100, 4) == "100");  // nor any less in front
  CHECK(number_text(999.96, 4) == "1000");
  CHECK(number_text(999.94, 4) == "999.9");
  CHECK(number_text(0, 4) == "0");
}

TEST_CASE("A cell without a value is empty, not zero") {
  const Column column{"a", "A"};
  CHECK(cell_text(maybe(std::nullopt), column).empty());
  CHECK(cell_text(maybe(0.0), column) == "0");
  CHECK(cell_text(std::string("word"), column) == "word");
}
