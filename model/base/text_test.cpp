#include "model/base/text.h"

#include <string>
#include <vector>

#include "tests/catch.h"

namespace tilecast {
namespace {

using Texts = std::vector<std::string>;

TEST_CASE("A text splits at every separator, empty parts kept") {
  const auto parts = split("a,,b,", ',');
  CHECK(Texts(parts.begin(), parts.end()) == Texts{"a", "", "b", ""});
  CHECK(split("", ',').size() == 1);
}

TEST_CASE("An integer is the whole text or nothing") {
  CHECK(parse_integer("42") == 42);
  CHECK(parse_integer("-7") == -7);
  CHECK(parse_integer("9223372036854775807") == 9223372036854775807LL);  // 2^63 - 1
  CHECK_FALSE(parse_integer("9223372036854775808"));                     // one more
  for (const char* text : {"", " 1", "1 ", "+1", "1.0", "1e3", "0x10", "1,0", "one"}) {
    CHECK_FALSE(parse_integer(text));
  }
}

TEST_CASE("A number is the whole text, finite, or nothing") {
  CHECK(parse_number("4.8e12") == 4.8e12);
  CHECK(parse_number("-0.5") == -0.5);
  for (const char* text : {"", " 1", "1 ", "1.2.3", "nan", "inf", "-inf", "1e999", "1,5"}) {
    CHECK_FALSE(parse_number(text));
  }
}

TEST_CASE("A slip of the fingers finds its word, a different word does not") {
  const Texts words{"warpgroups", "stages", "l2"};
  CHECK(nearest("wrapgroups", words) == "warpgroups");  // one swap
  CHECK(nearest("stage", words) == "stages");           // one missing
  CHECK(nearest("l3", words) == "l2");                  // one wrong, the reach of a short word
  CHECK_FALSE(nearest("bandwidth", words));
  CHECK_FALSE(nearest("x", Texts{}));
  CHECK(did_you_mean("stags", words) == "; did you mean stages?");
  CHECK(did_you_mean("bandwidth", words).empty());
}

TEST_CASE("The reach is a third of the word") {
  // "abcdef" reaches 2 edits: two wrong letters are forgiven, three are not.
  CHECK(nearest("abcdef", Texts{"xbcdex"}) == "xbcdex");
  CHECK_FALSE(nearest("abcdef", Texts{"xbxdex"}));
}

TEST_CASE("Words join with the separator between them only") {
  CHECK(join(Texts{"a", "b", "c"}, ", ") == "a, b, c");
  CHECK(join(Texts{"a"}, ", ") == "a");
  CHECK(join(Texts{}, ", ").empty());
}

}  // namespace
}  // namespace tilecast
