#include "cli/completion.h"

#include "tests/catch.h"

namespace tilecast {
namespace {

const std::vector<OptionRow> kRows = {
    {"predict", "Ranked: the best", "", "", false},
    {"predict", "Ranked: the best", "--gpu", "It's a name", true},
    {"doctor", "What is missing", "", "", false},
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
  program.tell_options();
  const std::vector<OptionRow> rows = program.options();
  CHECK(rows.front() == OptionRow{"shown", "What it does", "", "", false});
  const auto has = [&](const OptionRow& row) { return std::ranges::find(rows, row) != rows.end(); };
  CHECK(has({"shown", "What it does", "--value", "Of it", true}));
  CHECK(has({"shown", "What it does", "--flag", "Or not", false}));
  for (const OptionRow& row : rows) {
    CHECK(row.command == "shown");
  }
}

TEST_CASE("Scripts hold every command, option and word, quotes and colons escaped") {
  const OptionWords words{{"--gpu", {"b200", "h200_sxm"}}};
  const std::string bash = bash_completion(kRows, words);
  CHECK(bash.find("compgen -W 'predict doctor --help --version'") != std::string::npos);
  CHECK(bash.find("--gpu) COMPREPLY=($(compgen -W 'b200 h200_sxm'") != std::string::npos);
  CHECK(bash.find("predict) COMPREPLY=($(compgen -W '--gpu '") != std::string::npos);
  const std::string zsh = zsh_completion(kRows, words);
  CHECK(zsh.starts_with("#compdef tilecast\n"));
  CHECK(zsh.find("'predict:Ranked\\: the best'") != std::string::npos);
  CHECK(zsh.find("'--gpu:It'\\''s a name'") != std::string::npos);
}

}  // namespace tilecast
