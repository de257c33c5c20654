#include "model/spec/strict_map.h"

#include <fmt/format.h>

#include <ctime>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/error_message.h"

namespace tilecast {
namespace {

enum class Colour { kRed, kGreen };
constexpr Words<Colour, 2> kColours{{{Colour::kRed, "red"}, {Colour::kGreen, "green"}}};

const std::vector<std::string> kKeys{"count", "rate", "name", "on", "colour", "list", "inner"};

StrictMap open(const std::string& text) { return parse_yaml(text, "f.yaml").map(kKeys); }

/// Returns the error of `read` for the key of a one-line file.
template <class Read>
std::string complaint(const std::string& text, const Read& read) {
  return ERROR_MESSAGE(read(open(text).required(text.substr(0, text.find(':')))));
}

TEST_CASE("Every kind of value is read") {
  const StrictMap map = open(
      "count: 132\nrate: 4.8e12\nname: some text\non: true\ncolour: green\n"
      "list: [1, 2, 3]\ninner: {count: 7}\n");
  CHECK(map.required("count").integer(0, 1000) == 132);
  CHECK(map.required("rate").number() == 4.8e12);
  CHECK(map.required("name").text() == "some text");
  CHECK(map.required("on").flag());
  CHECK(map.required("colour").word(kColours) == Colour::kGreen);
  CHECK(map.required("list").list().at(2).integer(0, 9) == 3);
  CHECK(map.required("inner").map({"count"}).required("count").integer(0, 9) == 7);
  CHECK(open("{}").optional("count").has_value() == false);
  CHECK(open("count: 1").optional("count").has_value());
}

TEST_CASE("A value outlives the map and file that it came from") {
  const StrictValue value =
      open("inner: {name: kept}").required("inner").map({"name"}).required("name");
  CHECK(value.text() == "kept");
}

TEST_CASE("A missing key is reported with its full path, at the place of its map") {
  CHECK(ERROR_MESSAGE(open("rate: 1").required("count")) == "2 f.yaml:1: count: missing key");
  CHECK(ERROR_MESSAGE(open("rate: 1\ninner:\n  rate: 1")
                          .required("inner")
                          .map({"count", "rate"})
                          .required("count")) == "2 f.yaml:2: inner.count: missing key");
}

TEST_CASE("The error for an unknown key lists the nearest known key, or all") {
  CHECK(ERROR_MESSAGE(open("count: 1\nrat: 1")) ==
        "2 f.yaml:2: rat: unknown key; did you mean rate?");
  CHECK(ERROR_MESSAGE(open("zzzzz: 1")) ==
        "2 f.yaml:1: zzzzz: unknown key; expected one of count, rate, name, on, colour, list, "
        "inner");
  CHECK(ERROR_MESSAGE(open("inner:\n  coutn: 1").required("inner").map({"count"})) ==
        "2 f.yaml:2: inner.coutn: unknown key; did you mean count?");
}

TEST_CASE("A duplicate key is an error, with the place of the first") {
  CHECK(ERROR_MESSAGE(open("count: 1\nrate: 2\ncount: 1\n")) ==
        "2 f.yaml:3: count: duplicate key, first given in line 1");
  CHECK(ERROR_MESSAGE(open("inner: {count: 1, count: 2}")) ==
        "2 f.yaml:1: inner.count: duplicate key, first given in line 1");
}

TEST_CASE("Integers are checked at both ends of their range") {
  const auto read = [](const StrictValue& value) { return value.integer(1, 1024); };
  CHECK(open("count: 1").required("count").integer(1, 1024) == 1);
  CHECK(open("count: 1024").required("count").integer(1, 1024) == 1024);
  const std::string expected = "2 f.yaml:1: count: expected an integer from 1 to 1024, got ";
  CHECK(complaint("count: 0", read) == expected + "'0'");
  CHECK(complaint("count: 1025", read) == expected + "'1025'");
  CHECK(complaint("count: 1.5", read) == expected + "'1.5'");
  CHECK(complaint("count: many", read) == expected + "'many'");
  CHECK(complaint("count: \"7\"", read) == expected + "\"7\"");
  CHECK(complaint("count:", read) == expected + "nothing");
  CHECK(complaint("count: [1]", read) == expected + "a list");
  CHECK(complaint("count: {rate: 1}", read) == expected + "a map");
}

TEST_CASE("Numbers are finite and checked at both ends of their range") {
  const auto read = [](const StrictValue& value) { return value.number(0.5, 1); };
  CHECK(open("rate: 0.5").required("rate").number(0.5, 1) == 0.5);
  CHECK(open("rate: 1").required("rate").number(0.5, 1) == 1);
  const std::string expected = "2 f.yaml:1: rate: expected a number from 0.5 to 1, got ";
  CHECK(complaint("rate: 0.4999", read) == expected + "'0.4999'");
  CHECK(complaint("rate: 1.0001", read) == expected + "'1.0001'");
  CHECK(complaint("rate: .nan", read) == expected + "'.nan'");
  const auto any = [](const StrictValue& value) { return value.number(); };
  CHECK(complaint("rate: inf", any) == "2 f.yaml:1: rate: expected a number, got 'inf'");
  CHECK(complaint("rate: 1e999", any) == "2 f.yaml:1: rate: expected a number, got '1e999'");
}

TEST_CASE("A value of the wrong kind is an error") {
  CHECK(complaint("name:", [](const StrictValue& v) { return v.text(); }) ==
        "2 f.yaml:1: name: expected text, got nothing");
  CHECK(complaint("name: \"\"", [](const StrictValue& v) { return v.text(); }) ==
        "2 f.yaml:1: name: expected text, got \"\"");
  CHECK(complaint("name: \"a\\nb\"", [](const StrictValue& v) { return v.text(); }) ==
        "2 f.yaml:1: name: expected text without control characters, got \"a\\nb\"");
  CHECK(complaint("on: yes", [](const StrictValue& v) { return v.flag(); }) ==
        "2 f.yaml:1: on: expected true or false, got 'yes'");
  CHECK(complaint("colour: gren", [](const StrictValue& v) { return v.word(kColours); }) ==
        "2 f.yaml:1: colour: expected one of red, green, got 'gren'; did you mean green?");
  CHECK(complaint("list: 3", [](const StrictValue& v) { return v.list(); }) ==
        "2 f.yaml:1: list: expected a list, got '3'");
  CHECK(complaint("inner: 3", [](const StrictValue& v) {
          v.map({"count", "rate"});
        }) == "2 f.yaml:1: inner: expected a map of count, rate, got '3'");
  CHECK(ERROR_MESSAGE(open("list: [1,\n  x]").required("list").list().at(1).integer(0, 9)) ==
        "2 f.yaml:2: list[1]: expected an integer from 0 to 9, got 'x'");
}

TEST_CASE("A file that is not a map is an error") {
  CHECK(ERROR_MESSAGE(open("just words")).starts_with("2 f.yaml:1: expected a map of count, rate"));
  CHECK(ERROR_MESSAGE(open("")) == "2 f.yaml:1: expected keys, found an empty file");
  CHECK(ERROR_MESSAGE(open("# only a remark\n")) ==
        "2 f.yaml:1: expected keys, found an empty file");
}

TEST_CASE("Invalid YAML is a one-line error with its place") {
  CHECK(ERROR_MESSAGE(open("count: 1\ninner: {rate: 1\n"))
            .starts_with("2 f.yaml:3: not valid YAML: "));
  CHECK(ERROR_MESSAGE(open("count: 1\n\tname: x\n")).starts_with("2 f.yaml:2: not valid YAML: "));
  for (const std::string quote : {"\"", "'"}) {
    const std::string text = "count: 1\nname: " + quote + "never closed\n";
    CHECK(ERROR_MESSAGE(open(text)) ==
          "2 f.yaml:2: not valid YAML: a quote opens here and is never closed");
    CHECK(ERROR_MESSAGE(open(text + quote)).empty());
  }
  CHECK(open("name: 'it''s'").required("name").text() == "it's");
  CHECK(open("name: \"a \\\"b\\\"\"").required("name").text() == "a \"b\"");
  CHECK(ERROR_MESSAGE(open("count: 1\n---\ncount: 2\n")) ==
        "2 f.yaml:3: expected one YAML document, found a second one");
}

TEST_CASE("Aliases, tags and keys that are not words are errors") {
  CHECK(ERROR_MESSAGE(open("count: &a 1\nrate: *a\n")) ==
        "2 f.yaml:2: expected a value, got an alias");
  CHECK(ERROR_MESSAGE(open("count: !!str 1\n")) ==
        "2 f.yaml:1: expected a plain value, got the tag 'tag:yaml.org,2002:str'");
  CHECK(ERROR_MESSAGE(open("? [1, 2]\n: 3\n")) == "2 f.yaml:1: expected a plain word as key");
}

TEST_CASE("A file truncated anywhere is a one-line error or still complete") {
  const std::string whole = "count: 132\ninner: {rate: 4.8, name: \"x y\"}\nlist:\n  - [1, 2]\n";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string message = error_message([&] {
      const StrictMap map = open(whole.substr(0, length));
      map.required("count").integer(132, 132);
      map.required("inner").map({"rate", "name"}).required("name").text();
      for (const StrictValue& pair : map.required("list").list()) {
        const std::vector<StrictValue> sides = pair.list();
        sides.back().integer(static_cast<i64>(sides.size()), 2);
      }
    });
    const bool only_the_last_line_end = length == whole.size() - 1;
    CHECK(message.empty() == only_the_last_line_end);
    CHECK(!contains(message, '\n'));
    CHECK(message.starts_with(message.empty() ? "" : "2 f.yaml:"));
  }
}

TEST_CASE("Text from a file cannot break a message into lines") {
  CHECK(complaint("count: \"a\\nb\"", [](const StrictValue& v) { return v.integer(0, 1); }) ==
        "2 f.yaml:1: count: expected an integer from 0 to 1, got \"a\\nb\"");
}

TEST_CASE("A hundred thousand keys are read in linear time, and the last one is still checked") {
  std::string text;
  for (int i = 0; i < 100'000; ++i) {
    text += fmt::format("key{}: 1\n", i);
  }
  const std::clock_t start = std::clock();  // CPU time, not wall time: the machine may be busy
  CHECK(ERROR_MESSAGE(parse_yaml(text + "key7: 1\n", "f.yaml")) ==
        "2 f.yaml:100001: key7: duplicate key, first given in line 8");
  // This takes about a third of a second. Comparing each key with all earlier keys took seven.
  CHECK((std::clock() - start) / CLOCKS_PER_SEC < 6);
}

}  // namespace
}  // namespace tilecast
