// What a program takes, as rows that are handed from program to program.

#include <fmt/format.h>

#include "cli/program.h"
#include "model/base/text.h"

namespace tilecast {

std::string to_text(const std::vector<OptionRow>& rows) {
  std::string text;
  for (const OptionRow& row : rows) {
    text += fmt::format("{}\t{}\t{}\n", row.command, row.option, join(row.words, " "));
  }
  return text;
}

std::vector<OptionRow> parse_option_rows(std::string_view text) {
  std::vector<OptionRow> rows;
  for (const std::string_view line : split(text, '\n')) {
    const auto fields = split(line, '\t');
    if (fields.size() == 3) {
      OptionRow row{std::string(fields[0]), std::string(fields[1]), {}};
      for (const std::string_view word : split(fields[2], ' ')) {
        if (!word.empty()) {
          row.words.emplace_back(word);
        }
      }
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace tilecast
