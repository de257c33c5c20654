#include "validate/record/csv_text.h"

#include <random>

#include "model/base/error.h"
#include "tests/catch.h"
#include "tests/error_message.h"

namespace tilecast {
namespace {

std::string message_of(std::string_view text) { return ERROR_TEXT(parse_csv(text, "x.csv")); }

TEST_CASE("A quoted field keeps its commas, quotes and line ends") {
  const CsvText csv = parse_csv("a,\"b,\"\"c\"\"\nd\",e\r\nf,,g\n", "x.csv");
  REQUIRE(csv.records.size() == 2);
  CHECK(csv.records[0].fields == std::vector<std::string>{"a", "b,\"c\"\nd", "e"});
  CHECK(csv.records[1].fields == std::vector<std::string>{"f", "", "g"});
  CHECK(csv.records[1].line == 3);  // the quoted line end counts as a line
  CHECK_FALSE(csv.truncated);
}

TEST_CASE("A last line without its line end counts if it has the header's fields") {
  const std::string ended = "a,b\n";
  for (const std::string tail : {"c,", "c,d", "\"c\",\"d\"", "c,d\r"}) {
    const CsvText csv = parse_csv(ended + tail, "x.csv");
    REQUIRE(csv.records.size() == 2);
    CHECK(csv.records[1].fields.front() == "c");
    CHECK(csv.records[1].fields.back() == (tail == "c," ? "" : "d"));
    CHECK_FALSE(csv.truncated);
    CHECK_FALSE(csv.ended);
    CHECK(csv.ended_bytes == ended.size());
  }
  CHECK(parse_csv("a,b", "x.csv").records.size() == 1);  // header only
  CHECK(parse_csv(ended, "x.csv").ended);
  CHECK(parse_csv("", "x.csv").ended);
  CHECK(parse_csv("a,b\n\r", "x.csv").records.size() == 1);  // the last line is empty
}

TEST_CASE("A last line with fewer fields than the header, or inside quotes, is truncated") {
  const std::string ended = "a,b\n";
  for (const std::string tail : {"c", "\"c", "\"c\"", "c,\"d", "c,\"d\"\"", "c,d,e"}) {
    const CsvText csv = parse_csv(ended + tail, "x.csv");
    CHECK(csv.records.size() == 1);
    CHECK(csv.truncated);
    CHECK(csv.truncated_line == 2);
    CHECK(csv.ended_bytes == ended.size());
  }
}

TEST_CASE("Empty lines are not records but count as lines") {
  const CsvText csv = parse_csv("a\n\n\nb\n", "x.csv");
  REQUIRE(csv.records.size() == 2);
  CHECK(csv.records[1].line == 4);
}

TEST_CASE("A misplaced quote is an error that names its line") {
  CHECK(message_of("a\nb\"c,d\n").starts_with("x.csv:2: "));
  CHECK(message_of("a\n\"b\"c,d\n").starts_with("x.csv:2: "));
}

TEST_CASE("Rows are read by column name, and errors name line and column") {
  const std::vector<CsvRow> rows = csv_rows("size,name\n1,a\n\n2,b\n", "x.csv");
  REQUIRE(rows.size() == 2);
  CHECK(rows[1].text("name") == "b");
  CHECK(rows[1].where() == "x.csv:4");
  const auto refuse = [](std::string_view) -> int { throw ConfigError("expected none"); };
  CHECK_THROWS_WITH(rows[0].get("size", refuse), "x.csv:2: size: expected none");
  CHECK_THROWS_WITH(rows[0].text("names"),
                    "x.csv:1: names: column missing from the header; did you mean name?");
  CHECK_THROWS_WITH(csv_rows("", "x.csv"),
                    "x.csv:1: expected a header line with the names of the columns");
  CHECK_THROWS_WITH(csv_rows("a,b\n1\n", "x.csv"),
                    "x.csv:2: expected 2 fields as in the header, got 1");
  CHECK_THROWS_WITH(csv_rows("a,b\n1", "x.csv"),
                    "x.csv:2: the file ends inside this line: it was cut off");
}

TEST_CASE("parse_csv inverts csv_line for any text") {
  std::mt19937 random(7);
  constexpr std::string_view kAlphabet = "ab,\"\n\r =";
  for (int round = 0; round < 500; ++round) {
    std::vector<std::string> fields(2 + random() % 4);
    for (std::string& field : fields) {
      for (auto left = random() % 6; left > 0; --left) {
        field += kAlphabet[random() % kAlphabet.size()];
      }
    }
    const CsvText csv = parse_csv(csv_line(fields), "x.csv");
    REQUIRE(csv.records.size() == 1);
    CHECK(csv.records[0].fields == fields);
  }
}

}  // namespace
}  // namespace tilecast
