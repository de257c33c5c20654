#include "cli/output_parts.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "model/base/text.h"
#include "tests/catch.h"
#include "tests/comma_locale.h"

namespace tilecast {

TEST_CASE("A number keeps the digits that it can mean") {
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

}  // namespace tilecast
