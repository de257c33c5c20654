#include "reports/terminal_table.h"

#include "model/base/text.h"
#include "tests/catch.h"

using namespace tilecast;

namespace {

DataTable example_table() {
  return {"t",
          "A title",
          {{.key = "what", .title = "of"},
           {.key = "mean", .title = "mean", .unit = "%", .digits = 3},
           {.key = "note", .title = "note"}},
          {{std::string("time"), 12.345, std::string("a note of some length that takes room")},
           {std::string("cycles, of every kernel"), 3.0, std::string("short")}}};
}

std::size_t widest(const std::string& text) {
  std::size_t most = 0;
  for (const std::string_view line : split(text, '\n')) {
    most = std::max(most, line.size());
  }
  return most;
}

}  // namespace

TEST_CASE("Numbers stand to the right under their title, words to the left") {
  CHECK(terminal_table(example_table(), {200, false}) ==
        "A title\n"
        "of                       mean %  note\n"
        "time                       12.3  a note of some length that takes room\n"
        "cycles, of every kernel       3  short\n");
}

TEST_CASE("Where room is short the longest texts lose their middle first") {
  // 8 for the numbers and two gaps of 2 leave 30 to the texts, 15 each.
  CHECK(terminal_table(example_table(), {40, false}) ==
        "A title\n"
        "of               mean %  note\n"
        "time               12.3  a note ..s room\n"
        "cycles,..kernel       3  short\n");
}

TEST_CASE("What still does not fit is left out from the last column on") {
  DataTable table = example_table();
  for (int i = 0; i < 6; ++i) {
    table.columns.push_back({.key = "n", .title = "a number"});
    table.rows[0].emplace_back(1.5);
    table.rows[1].emplace_back(2.5);
  }
  const std::string narrow = terminal_table(table, {60, false});
  CHECK(widest(narrow) <= 60);
  CHECK(narrow.find("12.3") != std::string::npos);
  CHECK(narrow.find("1.5  1.5") == std::string::npos);
  CHECK(widest(terminal_table(table, {200, false})) > 60);
}

TEST_CASE("Only a terminal gets control characters") {
  CHECK(terminal_table(example_table(), {80, false}).find('\033') == std::string::npos);
  CHECK(terminal_table(example_table(), {80, true}).find('\033') != std::string::npos);
}
