#include "cli/arguments.h"

#include <algorithm>

#include "tests/catch.h"
#include "tests/error_message.h"

namespace tilecast {
namespace {

Arguments given(std::string_view command, const std::vector<std::string>& words) {
  return {*std::ranges::find(kCommands, command, &CommandRow::name), words};
}

std::string refusal(std::string_view command, const std::vector<std::string>& words) {
  return ERROR_MESSAGE(given(command, words));
}

TEST_CASE("A SHAPE after the values of a list is recognized if there is no other") {
  using Words = std::vector<std::string>;
  struct Case {
    Words words, shape, configs;
  };
  for (const Case& one :
       {Case{{"--config", "ws", "512x512x512"}, {"512x512x512"}, {"ws"}},
        {{"--config", "ws", "pp", "1", "2", "3"}, {"1", "2", "3"}, {"ws", "pp"}},
        {{"--config", "ws", "1", "2"}, {"1", "2"}, {"ws"}},
        {{"--config", "128x128x64", "8*64x64x64"}, {"8*64x64x64"}, {"128x128x64"}},
        {{"1x2x3", "--config", "ws", "128x128"}, {"1x2x3"}, {"ws", "128x128"}},
        {{"--config", "128x128x64"}, {}, {"128x128x64"}},
        {{"--config", "ws", "--no-best", "1x2x3"}, {"1x2x3"}, {"ws"}}}) {
    CAPTURE(one.words);
    const Arguments args = given("explain", one.words);
    CHECK(args.texts("SHAPE") == one.shape);
    CHECK(args.texts("--config") == one.configs);
  }
}

TEST_CASE("A value is the last word's, the one after =, or the table's") {
  const Arguments args = given("predict", {"--top=08", "--format", "CSV", "--wide", "--gpu", "h200",
                                           "b200", "--gpu=h100", "--m=5", "-n", "6", "--k", "7"});
  CHECK(args.number("--rows") == 8);
  CHECK(args.text("--format") == "csv");
  CHECK(args.given("--wide"));
  CHECK_FALSE(args.given("--all"));
  CHECK(args.texts("--gpu") == std::vector<std::string>{"h200", "b200", "h100"});
  CHECK(args.text("--regime") == "burst");
  CHECK_FALSE(args.given("--regime"));
  CHECK(args.text_of("--layout") == "tn");
  CHECK_FALSE(args.number_if_any("--simulate"));
  CHECK(given("predict", {"--problems", "-"}).text("--problems") == "-");
  CHECK(given("predict", {"--", "-x"}).texts("SHAPE") == std::vector<std::string>{"-x"});
}

TEST_CASE("An error names the expected and the given value") {
  struct Case {
    const char* command;
    std::vector<std::string> words;
    std::string message;
  };
  for (const Case& one :
       {Case{"predict", {"--rows", "0"}, "--rows: expected an integer from 1 to 1048576, got '0'"},
        {"predict", {"--rows", "-1"}, "--rows: expected an integer from 1 to 1048576, got '-1'"},
        {"predict", {"--rows", "x"}, "--rows: expected an integer from 1 to 1048576, got 'x'"},
        {"predict", {"--seed", "x"}, "--seed: expected an integer of at least 0, got 'x'"},
        {"predict", {"--rows"}, "--rows: 1 required N missing"},
        {"predict", {"--gpu", ""}, "--gpu: expected a value, got an empty string"},
        {"emit", {"--config", "a", "--config", "b"}, "--config is given twice"},
        {"predict", {"--wide=yes"}, "wide was given a disallowed flag override"},
        {"predict", {"--fromat", "x"}, "unknown option '--fromat'; did you mean --format?"},
        {"predict", {"--tokens", "3"}, "--tokens requires --experts"},
        {"measure", {"x", "-o", "1", "-o", "2"}, "-o is given twice"},
        {"predict", {"1x2x3", "--problems", "x"}, "SHAPE excludes --problems"},
        {"measure", {"--suite", "x", "--dtype", "bf16"}, "--dtype excludes --suite"},
        {"gpus", {"h200", "h100"}, "unexpected argument 'h100'"},
        {"completion", {}, "SHELL is required"},
        {"completion", {"fish"}, "SHELL: expected one of bash, zsh, got 'fish'"}}) {
    CAPTURE(one.command, one.words);
    CHECK(refusal(one.command, one.words) ==
          "2 " + one.message + "; see tilecast " + one.command + " --help");
  }
}

}  // namespace

TEST_CASE("No command has two options of one name, and each rule names options of the table") {
  for (const CommandRow& row : kCommands) {
    std::vector<std::string> names{"--help", "-h"};
    for (const CommandOption& option : options_of(row.name.substr(row.name.rfind(' ') + 1))) {
      for (const std::string& name : option.names) {
        CAPTURE(row.name, name);
        CHECK(std::ranges::find(names, name) == names.end());
        names.push_back(name);
      }
    }
  }
}

}  // namespace tilecast
