// What a program takes, as rows that are handed from program to program.

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
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", one_field(row.command),
                        one_field(row.command_help), one_field(row.option),
                        one_field(row.option_help), row.takes_value ? 1 : 0, join(row.words, " "));
  }
  return text;
}

std::vector<OptionRow> parse_option_rows(std::string_view text) {
  std::vector<OptionRow> rows;
  for (const std::string_view line : split(text, '\n')) {
    const auto fields = split(line, '\t');
    if (fields.size() == 6) {
      std::vector<std::string> words;
      for (const std::string_view word : split(fields[5], ' ')) {
        if (!word.empty()) {
          words.emplace_back(word);
        }
      }
      rows.push_back({std::string(fields[0]), std::string(fields[1]), std::string(fields[2]),
                      std::string(fields[3]), fields[4] == "1", std::move(words)});
    }
  }
  return rows;
}

}  // namespace tilecast
