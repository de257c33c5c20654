// The arguments of a command, accessed by the names of the table (cli/option_table.h). Checked by:
// arguments_test.cpp, tests/cli/program_test.sh.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/option_table.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tilecast {

/// An option, a row of cli/option_table.h, as one command uses it.
struct CommandOption {
  OptionRow row;
  std::string_view heading;
  std::vector<std::string> names;  // "--rows" and "--top" of "--rows,--top"
  std::vector<std::string> words;  // allowed values; any value if empty
  CLI::Option* parsed;             // owned by Arguments

  const std::string& name() const { return names.front(); }
  bool goes_by_place() const { return !name().starts_with('-'); }
  bool is_list() const { return row.value.ends_with("..."); }
};
/// Returns the options of a command, or of a verb by its last word: rows of the table, and one
/// option for each field of a GEMM that has one (model/gemm/problem/gemm_fields.h).
std::vector<CommandOption> options_of(std::string_view command);

class Arguments {
 public:
  /// Parses the words after a command. Throws a ConfigError that names the option, the expected
  /// values and the given one.
  Arguments(const CommandRow& command, std::vector<std::string> words);

  std::string_view command() const { return command_.name; }

  bool given(OptionName option) const { return !texts(option).empty(); }
  /// Returns the value, or the table's default; empty if there is neither.
  std::string text(OptionName option) const { return text_of(option.text()); }
  std::optional<std::string> text_if_given(OptionName option) const;
  std::vector<std::string> texts(OptionName option) const { return at(option.text()); }
  i64 number(OptionName option) const { return number_if_any(option).value(); }
  std::optional<i64> number_if_any(OptionName option) const;

  /// Looks an option up by a name known only at run time.
  std::string text_of(std::string_view option) const;
  std::vector<std::string> at(std::string_view option) const;

 private:
  void parse(const std::vector<std::string>& words);
  void move_shape_first(std::vector<std::string>& words);

  const CommandRow& command_;
  std::vector<CommandOption> options_;
  std::shared_ptr<CLI::App> parser_;  // has an option for each row of the table
};

}  // namespace tilecast
