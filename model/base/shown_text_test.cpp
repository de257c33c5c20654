#include "model/base/shown_text.h"

#include <string>

#include "tests/catch.h"
#include "tests/error_message.h"

namespace tilecast {
namespace {

TEST_CASE("A count of one is singular, zero and two are plural") {
  CHECK(counted(0, "point") == "0 points");
  CHECK(counted(1, "point") == "1 point");
  CHECK(counted(2, "point") == "2 points");
  CHECK(counted(1, "entry", "entries") == "1 entry");
  CHECK(counted(2, "entry", "entries") == "2 entries");
}

TEST_CASE("Thousands are separated by commas") {
  CHECK(with_commas(0) == "0");
  CHECK(with_commas(999) == "999");
  CHECK(with_commas(1000) == "1,000");
  CHECK(with_commas(-123456) == "-123,456");
  CHECK(with_commas(1234567) == "1,234,567");
}

TEST_CASE("Only a leading byte-order mark is removed") {
  CHECK(without_bom("\xef\xbb\xbfgpu") == "gpu");
  CHECK(without_bom("gpu\xef\xbb\xbf") == "gpu\xef\xbb\xbf");
  CHECK(without_bom("\xef\xbb") == "\xef\xbb");
}

TEST_CASE("A NUL byte is an error that names its line") {
  CHECK(ERROR_MESSAGE(refuse_nul(std::string_view("a\nb\0c", 5), "x.csv")) ==
        "2 x.csv:2: expected text, found a NUL byte (\\x00)");
  CHECK(ERROR_MESSAGE(refuse_nul("a\nb", "x.csv")).empty());
}

TEST_CASE("Only control characters and invalid UTF-8 are escaped") {
  CHECK(escaped("tile=128x256, 90 %") == "tile=128x256, 90 %");
  CHECK(escaped(std::string_view("a\0b", 3)) == "a\\x00b");
  CHECK(escaped("\033[31m\t\x7f") == "\\x1b[31m\\x09\\x7f");
  CHECK(escaped("two\nlines") == "two\nlines");
  CHECK(on_one_line("two\nlines\n") == "two\\nlines\\n");
  CHECK(escaped("\u00e9 \u20ac \U0001f600") == "\u00e9 \u20ac \U0001f600");  // 2, 3 and 4 bytes
  // A C1 control character, the same as ESC [.
  CHECK(escaped("\u009b31m") == "\\xc2\\x9b31m");
  // Characters that change the writing direction, have no width, mark the byte order, separate
  // lines, or are tags.
  CHECK(escaped("a\u202eb") == "a\\xe2\\x80\\xaeb");
  for (const char* hidden :
       {"\u00ad", "\u061c", "\u200b", "\u200f", "\u2028", "\u2066", "\ufeff", "\U000e0041"}) {
    CHECK(escaped(hidden).starts_with("\\x"));
  }
  for (const char* seen : {"\u00a0", "\u00ae", "\u2010", "\u2027", "\u202f", "\u205f", "\ufefe"}) {
    CHECK(escaped(seen) == seen);
  }
  CHECK(escaped("\xff\xfe") == "\\xff\\xfe");
  CHECK(escaped("\xe2\x82") == "\\xe2\\x82");                    // truncated character
  CHECK(escaped("\xc0\x80") == "\\xc0\\x80");                    // overlong NUL
  CHECK(escaped("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // lone surrogate
  CHECK(escaped("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // U+110000
  CHECK(escaped(escaped("\x01\xff")) == escaped("\x01\xff"));
}

TEST_CASE("Quoted text is one line of at most 60 bytes, cut between characters") {
  CHECK(printable(std::string(60, 'x')) == std::string(60, 'x'));
  CHECK(printable(std::string(61, 'x')) == std::string(60, 'x') + "...");
  CHECK(printable(std::string(59, 'x') + "\u20ac") == std::string(59, 'x') + "...");
  CHECK(printable("a\nb\r") == "a\\nb\\x0d");
}

TEST_CASE("A message is one line of at most 2,005 bytes, whose ends are kept") {
  CHECK(message_line("one\ntwo\n\n") == "one; two");
  CHECK(message_line("\033[31m") == "\\x1b[31m");
  CHECK(message_line(std::string(2000, 'x')) == std::string(2000, 'x'));
  CHECK(message_line("got " + std::string(1'000'000, 'x') + " expected y").size() == 2005);
  CHECK(message_line(std::string(3000, 'x') + " expected y").ends_with(" expected y"));
}

}  // namespace
}  // namespace tilecast
