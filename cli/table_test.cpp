#include "cli/table.h"

#include "model/base/text.h"
#include "tests/catch.h"

namespace tilecast {

TEST_CASE("Cells end where their title ends, or begin where it begins") {
  Table table({"#", "time us", "<kernel"});
  table.row({"1", "9.5", "ws"});
  table.row({"10", "12345.5", ""});
  CHECK(table.text() ==
        " #  time us  kernel\n"
        " 1      9.5  ws\n"
        "10  12345.5\n");
  CHECK(table.text(1).starts_with("  #  time us"));
}

TEST_CASE("Columns are omitted in order until a table fits") {
  const std::string wide(70, 'a');
  Table table({"<name", "first", "second"});
  table.row({wide, "1", "2"});  // 70 + 2 + 5 + 2 + 6 = 85 columns, 78 without the first
  table.fit({"first", "second"});
  CHECK(!contains(table.text(), "first"));
  CHECK(contains(table.text(), "second"));
}

TEST_CASE("A list longer than a line is broken between its numbers") {
  std::string list = "[";
  for (int i = 0; i < 60; ++i) {
    list += "543,";  // with 4 characters each, column 80 is inside a number
  }
  list += "5430]x4096x7168 fp16 tn";
  const std::string text = wrapped("", list);
  const std::vector<std::string_view> lines = split(text, '\n');
  REQUIRE(lines.size() == 5);  // lines of 77, 80, 80 and 27 characters, and an empty one
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(lines[i].ends_with("543,"));
    CHECK(lines[i].size() <= kColumns);
  }
  CHECK(lines[3].ends_with("5430]x4096x7168 fp16 tn"));
}

TEST_CASE("A number keeps its unit, and a word without a place to break stays whole") {
  const std::string text = std::string(76, 'a') + " 66 % of";
  CHECK(wrapped("", text) == std::string(76, 'a') + "\n66 % of\n");
  CHECK(wrapped("", std::string(100, 'a') + " b") == std::string(100, 'a') + "\nb\n");
  CHECK(wrapped("", std::string(80, 'a') + " b") == std::string(80, 'a') + "\nb\n");
}

}  // namespace tilecast
