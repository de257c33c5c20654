#include "cli/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/gemm/problem/gemm_fields.h"
#include "model/ops/problem_fields.h"

namespace tilecast {
namespace {

constexpr std::string_view kShape = "SHAPE";
constexpr std::size_t kMostSides = 3;  // M N K

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

/// And not "-", which is standard input, nor a negative number.
bool is_option(std::string_view word) {
  return word.size() > 1 && word[0] == '-' && (word[1] < '0' || word[1] > '9');
}

bool is_shape(const std::string& text) {
  return !text.empty() && (text.front() == '[' || (text.front() >= '0' && text.front() <= '9')) &&
         lower_case(text).find_first_not_of("0123456789x*:,/[]ab ") == std::string::npos;
}

}  // namespace

std::vector<CommandOption> options_of(std::string_view command) {
  static const std::vector<CommandOption> kAll = [] {
    std::vector<CommandOption> all;
    const auto add = [&](std::string_view heading, const OptionRow& row, std::string_view names) {
      const bool choice = row.value.find('|') != row.value.npos;
      all.push_back({row, heading, parts_of(names, ','),
                     choice ? parts_of(row.value, '|') : std::vector<std::string>()});
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

Arguments::Arguments(const CommandRow& command, const std::vector<std::string>& words)
    : command_(command), options_(options_of(command.name.substr(command.name.rfind(' ') + 1))) {
  take(words);
  give_back_shape();
  check();
}

void Arguments::refuse(const std::string& why) const {
  throw ConfigError(fmt::format("{}; see tilecast {} --help", why, command_.name));
}

const CommandOption& Arguments::option_named(const std::string& name) const {
  std::vector<std::string> alike;
  for (const CommandOption& option : options_) {
    if (has(option.names, name)) {
      return option;
    }
    // The first letter is rarely wrong, and of short names any other is one letter away.
    std::ranges::copy_if(option.names, std::back_inserter(alike), [&](const std::string& other) {
      constexpr std::size_t kFirst = std::char_traits<char>::length("--x");
      return other.starts_with("--") && other.substr(0, kFirst) == name.substr(0, kFirst);
    });
  }
  refuse(fmt::format("unknown option '{}'{}", name, did_you_mean(name, alike)));
}

void Arguments::take(const std::vector<std::string>& words) {
  std::vector<std::string> by_place;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--") {
      by_place.insert(by_place.end(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                      words.end());
      break;
    }
    if (!is_option(words[i])) {
      by_place.push_back(words[i]);
      continue;
    }
    const std::size_t equals = words[i].find('=');
    const std::string name = words[i].substr(0, equals);
    const CommandOption& option = option_named(name);
    std::vector<std::string>& values = values_[option.name()];
    const bool has_value = equals != std::string::npos;
    if (option.row.value.empty()) {
      if (has_value) {
        refuse(name + ": takes no value");
      }
      values = {"yes"};
      continue;
    }
    if (!values.empty() && !option.is_list()) {
      refuse(name + ": given twice");
    }
    const std::size_t before = values.size();
    if (has_value) {
      values.push_back(words[i].substr(equals + 1));
    }
    while (!has_value && i + 1 < words.size() && !is_option(words[i + 1]) &&
           (option.is_list() || values.size() == before)) {
      values.push_back(words[++i]);
    }
    if (values.size() == before) {
      refuse(name + ": expected a value");
    }
    if (option.is_list()) {
      lists_.push_back(option.name());
    }
  }
  for (const CommandOption& option : options_) {
    if (option.goes_by_place() && !by_place.empty()) {
      const auto end = option.is_list() ? by_place.end() : by_place.begin() + 1;
      values_[option.name()].assign(by_place.begin(), end);
      by_place.erase(by_place.begin(), end);
    }
  }
  if (!by_place.empty()) {
    refuse(fmt::format("unexpected argument '{}'", by_place.front()));
  }
}

/// A list takes the SHAPE that follows it too: `--schedule pp 4096x4096x4096`.
void Arguments::give_back_shape() {
  const bool takes_shape = !options_.empty() && options_.front().name() == kShape;
  if (!takes_shape || !at(kShape).empty() || !at("-m").empty()) {
    return;
  }
  for (auto list = lists_.rbegin(); list != lists_.rend() && at(kShape).empty(); ++list) {
    std::vector<std::string>& values = values_[*list];
    const auto numbers =
        std::find_if_not(values.rbegin(), values.rend(),
                         [](const std::string& value) { return parse_integer(value).has_value(); });
    const std::size_t count = numbers - values.rbegin() >= static_cast<int>(kMostSides) ? kMostSides
                              : is_shape(values.back())                                 ? 1
                                                                                        : 0;
    if (count > 0 && values.size() > count) {
      const auto first = values.end() - static_cast<std::ptrdiff_t>(count);
      values_[std::string(kShape)].assign(first, values.end());
      values.erase(first, values.end());
    }
  }
}

void Arguments::check_values(const CommandOption& option, std::vector<std::string>& values) const {
  const OptionRow& row = option.row;
  for (std::string& value : values) {
    const std::string got = fmt::format(", got '{}'", value), lower = lower_case(value);
    if (value.empty()) {
      refuse(option.name() + ": expected a value, got an empty text");
    }
    if (!option.words.empty() && !has(option.words, lower)) {
      refuse(fmt::format("{}: expected one of {}{}{}", option.name(), join(option.words, ", "), got,
                         did_you_mean(lower, option.words)));
    }
    if (!option.words.empty()) {
      value = lower;
    }
    const std::optional<i64> number = parse_integer(value);
    if (row.value == "N" && (!number || *number < row.least || *number > row.most)) {
      refuse(fmt::format("{}: expected a whole number {}{}", option.name(),
                         row.most == OptionRow{}.most
                             ? fmt::format("of at least {}", row.least)
                             : fmt::format("from {} to {}", row.least, row.most),
                         got));
    }
  }
  for (const std::string& other : parts_of(row.needs, ' ')) {
    if (at(other).empty()) {
      refuse(fmt::format("{} requires {}", option.name(), other));
    }
  }
  const std::vector<std::string> without = parts_of(row.without, ' ');
  for (const CommandOption& other : options_) {
    if ((has(without, other.name()) || has(without, other.heading)) && !at(other.name()).empty()) {
      refuse(fmt::format("{}: not allowed with {}", option.name(), other.name()));
    }
  }
}

void Arguments::check() {
  if (const std::size_t sides = at(kShape).size(); sides > kMostSides) {
    refuse(fmt::format("SHAPE: expected at most {} words, got {}", kMostSides, sides));
  }
  for (const CommandOption& option : options_) {
    const auto found = values_.find(option.name());
    if (found != values_.end() && !found->second.empty()) {
      check_values(option, found->second);
    } else if (option.row.required) {
      refuse(option.name() + " is required");
    }
  }
}

std::optional<std::string> Arguments::text_if_given(OptionName option) const {
  return given(option) ? std::optional(texts(option).back()) : std::nullopt;
}

std::optional<i64> Arguments::number_if_any(OptionName option) const {
  return parse_integer(text(option));
}

const std::vector<std::string>& Arguments::at(std::string_view option) const {
  static const std::vector<std::string> kNone;
  const auto found = values_.find(option);
  return found == values_.end() ? kNone : found->second;
}

std::string Arguments::text_of(std::string_view option) const {
  if (const std::vector<std::string>& values = at(option); !values.empty()) {
    return values.back();
  }
  const auto row = std::ranges::find(options_, option, &CommandOption::name);
  return row == options_.end() ? "" : std::string(row->row.usual);
}

}  // namespace tilecast
