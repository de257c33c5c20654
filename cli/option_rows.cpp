// What a program takes, as rows: read from CLI11's own table, handed from program to program.

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "cli/program.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

/// Helps have neither; a row is a line of fields.
std::string one_field(std::string text) {
  std::ranges::replace_if(
      text, [](char c) { return c == '\t' || c == '\n'; }, ' ');
  return text;
}

}  // namespace

std::string to_text(const std::vector<OptionRow>& rows) {
  std::string text;
  for (const OptionRow& row : rows) {
    text += fmt::format("{}\t{}\t{}\t{}\t{}\n", one_field(row.command), one_field(row.command_help),
                        one_field(row.option), one_field(row.option_help), row.takes_value ? 1 : 0);
  }
  return text;
}

std::vector<OptionRow> parse_option_rows(std::string_view text) {
  std::vector<OptionRow> rows;
  for (const std::string_view line : split(text, '\n')) {
    const auto fields = split(line, '\t');
    if (fields.size() == 5) {
      rows.push_back({std::string(fields[0]), std::string(fields[1]), std::string(fields[2]),
                      std::string(fields[3]), fields[4] == "1"});
    }
  }
  return rows;
}

std::vector<OptionRow> Program::options() const {
  std::vector<OptionRow> rows;
  for (const CLI::App* command : app_->get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_group().empty()) {  // for other programs
      continue;
    }
    rows.push_back({command->get_name(), command->get_description(), "", "", false});
    for (const CLI::Option* option : command->get_options()) {
      for (const std::string& name : option->get_lnames()) {
        rows.push_back({command->get_name(), command->get_description(), "--" + name,
                        option->get_description(), option->get_items_expected_max() > 0});
      }
    }
  }
  return rows;
}

void Program::tell_options() {
  const Command command = this->command("option-table", "For tilecast completion");
  command.hides();
  command.runs([this] { fmt::print("{}", to_text(options())); });
}

}  // namespace tilecast
