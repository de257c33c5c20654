#include "cli/output_parts.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "model/base/text.h"
#include "tests/catch.h"
#include "tests/comma_locale.h"

namespace tilecast {

TEST_CASE("A number is rounded to significant digits") {
  CHECK(rounded(176.8734, 6) == 176.873);
  CHECK(rounded(123456.7, 3) == 123000);
  CHECK(rounded(std::numeric_limits<double>::infinity(), 3) ==
        std::numeric_limits<double>::infinity());
}

TEST_CASE("Numbers are read and written alike where the locale has a decimal comma") {
  const CommaLocale locale;
  CHECK(rounded(176.8734, 6) == 176.873);  // 176 where strtod reads it
  CHECK(micro_text(Seconds{2.791e-6}) == "2.79");
  CHECK(parse_number("2.79") == 2.79);
  CHECK_FALSE(parse_number("2,79"));
  CHECK(nlohmann::json::parse("[2.79]").dump() == "[2.79]");
}

TEST_CASE("A list that is longer than a line is broken between its numbers") {
  std::string list = "[";
  for (int i = 0; i < 60; ++i) {
    list += "543,";  // 4 characters: the 80th is inside a number
  }
  list += "5430]x4096x7168 fp16 tn";
  const std::string text = wrapped("", list, " ");
  const std::vector<std::string_view> lines = split(text, '\n');
  REQUIRE(lines.size() == 5);  // 77, 80, 80 and 27 characters, and an empty end
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(lines[i].ends_with("543,"));
    CHECK(lines[i].size() <= kColumns);
  }
  CHECK(lines[3].ends_with("5430]x4096x7168 fp16 tn"));
}

TEST_CASE("A word without a place to break fills its lines") {
  CHECK(wrapped("", std::string(100, 'a'), " ") ==
        std::string(80, 'a') + "\n" + std::string(20, 'a') + "\n");
}

}  // namespace tilecast
