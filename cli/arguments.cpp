#include "cli/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/gemm/problem/gemm_fields.h"
#include "model/ops/problem_fields.h"

namespace tilecast {
namespace {

std::vector<std::string> parts_of(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(text, separator)) {
    if (!part.empty()) {
      parts.emplace_back(part);
    }
  }
  return parts;
}

bool has(const std::vector<std::string>& words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// Returns how many words at the end of a list option's values are a SHAPE: all of them if they are
/// numbers (M N K, or N K of each expert), otherwise one word.
int shape_at_end(const std::vector<std::string>& values) {
  const auto no_number =
      std::find_if_not(values.rbegin(), values.rend(),
                       [](const std::string& value) { return parse_integer(value).has_value(); });
  const auto numbers = static_cast<int>(no_number - values.rbegin());
  const std::string last = lower_case(values.back());
  return numbers > 0 ? numbers
         : last.find_first_of("[0123456789") == 0 &&
                 last.find_first_not_of("0123456789x*:,/[]ab ") == std::string::npos
             ? 1
             : 0;
}

/// Validator in CLI11's form: returns an empty string for a valid value, else the reason.
std::string why_refused(const CommandOption& option, std::string& value) {
  const OptionRow& row = option.row;
  const std::string lower = lower_case(value), got = fmt::format(", got '{}'", value);
  const std::optional<i64> number = parse_integer(value);
  if (value.empty()) {
    return "expected a value, got an empty string";
  }
  if (row.value == "N" && (!number || *number < row.least || *number > row.most)) {
    const bool open = row.most == OptionRow{}.most;
    return fmt::format("expected an integer {}{}",
                       open ? fmt::format("of at least {}", row.least)
                            : fmt::format("from {} to {}", row.least, row.most),
                       got);
  }
  if (!option.words.empty()) {
    value = lower;
    return has(option.words, lower)
               ? ""
               : fmt::format("expected one of {}{}{}", join(option.words, ", "), got,
                             did_you_mean(lower, option.words));
  }
  return "";
}

}  // namespace

std::vector<CommandOption> options_of(std::string_view command) {
  static const std::vector<CommandOption> kAll = [] {
    std::vector<CommandOption> all;
    const auto add = [&](std::string_view heading, const OptionRow& row, std::string_view names) {
      const bool choice = row.value.find('|') != row.value.npos;
      all.push_back({row, heading, parts_of(names, ','),
                     choice ? parts_of(row.value, '|') : std::vector<std::string>(), nullptr});
    };
    for (const OptionGroup& group : kOptionGroups) {
      for (const OptionRow& row : group.options) {
        add(group.heading, row, row.names);
      }
      for (const ProblemField<GemmProblem>& field : kGemmFields) {
        const std::string names = option_name(field.name, field.help);
        if (!names.empty() && group.options.data() == kProblemOptions) {
          add(group.heading, {kProblems, "", "TEXT", field.usual, field.help}, names);
        }
      }
    }
    return all;
  }();
  std::vector<CommandOption> own;
  std::ranges::copy_if(kAll, std::back_inserter(own), [&](const CommandOption& option) {
    return has(parts_of(option.row.commands, ' '), command);
  });
  return own;
}

Arguments::Arguments(const CommandRow& command, std::vector<std::string> words)
    : command_(command),
      options_(options_of(command.name.substr(command.name.rfind(' ') + 1))),
      parser_(std::make_shared<CLI::App>()) {
  parser_->set_help_flag();
  const auto is_typed = [&](const std::string& name) {
    return std::ranges::any_of(
        words, [&](const std::string& word) { return word.substr(0, word.find('=')) == name; });
  };
  for (CommandOption& option : options_) {
    std::vector<std::string> names = option.names;  // messages use the name that was typed
    if (std::ranges::any_of(names, is_typed)) {
      std::erase_if(names, std::not_fn(is_typed));
    }
    if (option.row.value.empty()) {
      option.parsed = parser_->add_flag(join(names, ","))->disable_flag_override();
      continue;
    }
    option.parsed = parser_->add_option(join(names, ","))
                        ->type_name(std::string(option.row.value))
                        ->default_str(std::string(option.row.usual))
                        ->required(option.row.required);
    option.parsed->transform(
        CLI::Validator([&](std::string& value) { return why_refused(option, value); }, ""));
    if (option.is_list()) {
      option.parsed->expected(1, -1)->allow_extra_args();
    }
  }
  for (const CommandOption& option : options_) {
    const std::vector<std::string> needs = parts_of(option.row.needs, ' '),
                                   without = parts_of(option.row.without, ' ');
    for (const CommandOption& other : options_) {
      if (has(needs, other.name())) {
        option.parsed->needs(other.parsed);
      }
      if (has(without, other.name()) || has(without, other.heading)) {
        option.parsed->excludes(other.parsed);
      }
    }
  }
  parse(words);
  move_shape_first(words);
}

void Arguments::parse(const std::vector<std::string>& words) {
  try {
    parser_->parse(std::vector<std::string>(words.rbegin(), words.rend()));
  } catch (const CLI::ParseError& error) {
    std::string why = error.what();
    if (const std::size_t at = why.find(": At Most 1 required"); at != why.npos) {
      why = why.substr(0, at) + " is given twice";
    }
    if (const std::vector<std::string> unknown = parser_->remaining(); !unknown.empty()) {
      // The first letter is rarely wrong, and short names often differ in a single letter.
      const std::string name = unknown.front().substr(0, unknown.front().find('='));
      std::vector<std::string> alike;
      for (const CommandOption& option : options_) {
        std::ranges::copy_if(option.names, std::back_inserter(alike), [&](const std::string& one) {
          constexpr std::size_t kFirst = std::char_traits<char>::length("--x");
          return one.starts_with("--") && one.substr(0, kFirst) == name.substr(0, kFirst);
        });
      }
      why = fmt::format("un{} '{}'{}", name.starts_with('-') ? "known option" : "expected argument",
                        name, did_you_mean(name, alike));
    }
    throw ConfigError(fmt::format("{}; see tilecast {} --help", why, command_.name));
  }
}

/// CLI11 assigns all following words to a list. If a SHAPE is among them and there is none
/// elsewhere, moves it before all words.
void Arguments::move_shape_first(std::vector<std::string>& words) {
  const CLI::Option* const shape = parser_->get_option_no_throw("SHAPE");
  if (shape == nullptr || shape->count() > 0) {
    return;
  }
  const std::vector<CLI::Option*> given = parser_->parse_order();
  for (auto option = given.rbegin(); option != given.rend(); ++option) {
    const std::vector<std::string> values = (*option)->results();
    const int count = (*option)->get_expected_max() > 1 ? shape_at_end(values) : 0;
    if (count > 0 && values.size() > static_cast<std::size_t>(count)) {
      const auto found =
          std::find_end(words.begin(), words.end(), values.end() - count, values.end());
      std::rotate(words.begin(), found, found + count);
      return parse(words);
    }
  }
}

std::optional<std::string> Arguments::text_if_given(OptionName option) const {
  return given(option) ? std::optional(text(option)) : std::nullopt;
}

std::optional<i64> Arguments::number_if_any(OptionName option) const {
  return parse_integer(text(option));
}

std::vector<std::string> Arguments::at(std::string_view option) const {
  const auto found = std::ranges::find(options_, option, &CommandOption::name);
  return found == options_.end() ? std::vector<std::string>() : found->parsed->results();
}

std::string Arguments::text_of(std::string_view option) const {
  const auto found = std::ranges::find(options_, option, &CommandOption::name);
  return found == options_.end()      ? ""
         : found->parsed->count() > 0 ? found->parsed->results().back()
                                      : found->parsed->get_default_str();
}

}  // namespace tilecast
