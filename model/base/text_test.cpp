#include "model/base/text.h"

#include <string>
#include <vector>

#include "tests/catch.h"

namespace tilecast {
namespace {

using Texts = std::vector<std::string>;

TEST_CASE("Splitting keeps empty parts") {
  const auto parts = split("a,,b,", ',');
  CHECK(Texts(parts.begin(), parts.end()) == Texts{"a", "", "b", ""});
  CHECK(split("", ',').size() == 1);
}

TEST_CASE("Only a whole text parses as an integer") {
  CHECK(parse_integer("42") == 42);
  CHECK(parse_integer("-7") == -7);
  CHECK(parse_integer("9223372036854775807") == 9223372036854775807LL);  // 2^63 - 1
  CHECK_FALSE(parse_integer("9223372036854775808"));                     // 2^63
  for (const char* text : {"", " 1", "1 ", "+1", "1.0", "1e3", "0x10", "1,0", "one"}) {
    CHECK_FALSE(parse_integer(text));
  }
}

TEST_CASE("Only a whole text parses as a number, and it must be finite") {
  CHECK(parse_number("4.8e12") == 4.8e12);
  CHECK(parse_number("-0.5") == -0.5);
  for (const char* text : {"", " 1", "1 ", "1.2.3", "nan", "inf", "-inf", "1e999", "1,5"}) {
    CHECK_FALSE(parse_number(text));
  }
}

TEST_CASE("A typo finds its word, a different word does not") {
  const Texts words{"warpgroups", "stages", "l2"};
  CHECK(nearest("wrapgroups", words) == "warpgroups");  // one swap
  CHECK(nearest("stage", words) == "stages");           // one letter missing
  CHECK(nearest("l3", words) == "l2");                  // one wrong letter, the limit for a
                                                        // two-letter word
  CHECK_FALSE(nearest("bandwidth", words));
  CHECK_FALSE(nearest("x", Texts{}));
  CHECK(did_you_mean("stags", words) == "; did you mean stages?");
  CHECK(did_you_mean("bandwidth", words).empty());
}

TEST_CASE("A typo may change up to a third of a word") {
  // "abcdef" allows 2 edits: two wrong letters match, three do not.
  CHECK(nearest("abcdef", Texts{"xbcdex"}) == "xbcdex");
  CHECK_FALSE(nearest("abcdef", Texts{"xbxdex"}));
}

TEST_CASE("Joined words have separators only between them") {
  CHECK(join(Texts{"a", "b", "c"}, ", ") == "a, b, c");
  CHECK(join(Texts{"a"}, ", ") == "a");
  CHECK(join(Texts{}, ", ").empty());
}

}  // namespace
}  // namespace tilecast
