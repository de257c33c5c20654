#include "cli/completion.h"

#include "tests/catch.h"

namespace tilecast {
namespace {

const std::vector<OptionRow> kRows = {
    {"predict", "", {}},
    {"predict", "--gpu", {}},
    {"predict", "--format", {"table", "csv"}},
    {"doctor", "", {}},
    {"doctor", "--format", {"table", "json"}},
    {"doctor", "KIND", {"all", "some"}},
};

}  // namespace

TEST_CASE("Rows of options go through text unharmed") {
  CHECK(parse_option_rows(to_text(kRows)) == kRows);
  CHECK(parse_option_rows("tilecast: unknown command\n").empty());
}

TEST_CASE("A program's own table has its commands and their options, hidden ones left out") {
  Program program("p", "");
  std::string text;
  const Command shown = program.command("shown", "What it does");
  shown.option("--value", text, "Of it");
  bool flag = false;
  shown.flag("--flag", flag, "Or not");
  std::string kind;
  shown.option("KIND", kind, "Of two").one_of({"one", "two"});
  program.tell_options();
  const std::vector<OptionRow> rows = program.options();
  CHECK(rows.front() == OptionRow{"shown", "", {}});
  const auto has = [&](const OptionRow& row) { return std::ranges::find(rows, row) != rows.end(); };
  CHECK(has({"shown", "--value", {}}));
  CHECK(has({"shown", "--flag", {}}));
  CHECK(has({"shown", "KIND", {"one", "two"}}));
  for (const OptionRow& row : rows) {
    CHECK(row.command == "shown");
  }
}

TEST_CASE("The verbs of a command are words behind it, and their options are its own") {
  Program program("p", "");
  const Command group = program.command("group", "");
  std::string text;
  group.command("one", "").option("--of-both", text, "");
  const Command two = group.command("two", "");
  two.option("--of-both", text, "");
  two.option("--of-two", text, "");
  const std::vector<OptionRow> expected{{"group", "", {}},
                                        {"group", "VERB", {"one", "two"}},
                                        {"group", "--help", {}},
                                        {"group", "--of-both", {}},
                                        {"group", "--of-two", {}}};
  CHECK(program.options() == expected);
}

TEST_CASE("Scripts hold every command, option and word, but none that a shell would expand") {
  const OptionWords words{{"--gpu", {"$(id)", "b200", "h200_sxm", "x'; id"}}};
  const std::string bash = bash_completion(kRows, words);
  CHECK(bash.find("compgen -W 'predict doctor --help --version'") != std::string::npos);
  const auto offers = [&](const std::string& before, const std::string& offered) {
    return bash.find(before + ") COMPREPLY=($(compgen -W '" + offered + "'") != std::string::npos;
  };
  CHECK(offers("*' --gpu'", "b200 h200_sxm"));
  // Words of one option differ from command to command; those of a place follow the command.
  CHECK(offers("'predict --format'", "table csv"));
  CHECK(offers("'doctor --format'", "table json"));
  CHECK(offers("'doctor doctor'", "all some"));
  CHECK(offers("predict", "--gpu --format "));
  CHECK(offers("doctor", "--format "));
  CHECK(zsh_completion(kRows, words).ends_with("bashcompinit\n" + bash));
}

}  // namespace tilecast
