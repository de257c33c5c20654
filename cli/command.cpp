#include "cli/command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "model/base/error.h"
#include "model/base/integers.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"
#include "model/gemm/problem/batch_text.h"

namespace tilecast {
namespace {

template <class T>
bool is_empty(const T&) {
  return false;
}
template <class T>
bool is_empty(const std::optional<T>& value) {
  return !value;
}
template <class T>
bool is_empty(const std::vector<T>& values) {
  return values.empty();
}
bool is_empty(const std::string& text) { return text.empty(); }

template <class T>
struct Single {
  using Type = T;
};
template <class T>
struct Single<std::optional<T>> {
  using Type = T;
};
template <class T>
struct Single<std::vector<T>> {
  using Type = T;
};

std::string got(const std::string& value) { return fmt::format(", got '{}'", value); }

/// Of values: the numbers from `least` to `most`, written in decimal for CLI11, which takes 010 for
/// eight. Where `range` is none they are all that the type holds.
template <class T>
CLI::Validator number(T least, T most, const std::string& range) {
  const std::string expected =
      fmt::format("expected a {}number{}", std::is_integral_v<T> ? "whole " : "",
                  !range.empty()          ? " from " + range
                  : std::is_unsigned_v<T> ? " of at least 0"
                                          : "");
  const auto check = [=](std::string& text) {
    T value{};
    const char* const end = text.data() + text.size();
    const auto [behind, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || behind != end || !(value >= least && value <= most)) {
      return expected + got(text);
    }
    text = fmt::format("{}", value);
    return std::string();
  };
  return {check, range, kNumber};
}

CLI::Validator word(const std::vector<std::string>& words) {
  const auto check = [words](std::string& text) {
    const std::string lower = lower_case(text);
    if (std::ranges::find(words, lower) == words.end()) {
      return fmt::format("expected one of {}", join(words, ", ")) + got(text) +
             did_you_mean(lower, words);
    }
    text = lower;
    return std::string();
  };
  return {check, "{" + join(words, ",") + "}", kOneOf};
}

}  // namespace

Option Option::required() const {
  option_->required();
  return *this;
}

Option Option::one_of(const std::vector<std::string>& words) const {
  option_->transform(word(words), kOneOf);
  return *this;
}

template <class T>
Option Option::in_range(T least, T most) const {
  *option_->get_validator(kNumber) = number(least, most, fmt::format("{} to {}", least, most));
  return *this;
}
template Option Option::in_range(int, int) const;
template Option Option::in_range(i64, i64) const;
template Option Option::in_range(unsigned, unsigned) const;
template Option Option::in_range(std::size_t, std::size_t) const;
template Option Option::in_range(double, double) const;

Option Option::expects(int least, int most) const {
  option_->expected(least, most);
  return *this;
}

Option Option::needs(Option other) const {
  option_->needs(other.option_);
  return *this;
}

Option Option::excludes(Option other) const {
  option_->excludes(other.option_);
  return *this;
}

bool Option::given() const { return option_->count() > 0; }

template <class T>
Option Command::option(const std::string& name, T& value, const std::string& help) const {
  CLI::Option* option = command_->add_option(name, value, help);
  if (!is_empty(value)) {
    option->capture_default_str();
  }
  using One = typename Single<T>::Type;
  if constexpr (std::is_arithmetic_v<One>) {
    using Limits = std::numeric_limits<One>;
    option->transform(number(Limits::lowest(), Limits::max(), ""), kNumber);
  }
  return Option(option);
}
template Option Command::option(const std::string&, std::string&, const std::string&) const;
template Option Command::option(const std::string&, i64&, const std::string&) const;
template Option Command::option(const std::string&, u64&, const std::string&) const;
template Option Command::option(const std::string&, int&, const std::string&) const;
template Option Command::option(const std::string&, unsigned&, const std::string&) const;
template Option Command::option(const std::string&, std::size_t&, const std::string&) const;
template Option Command::option(const std::string&, std::optional<std::string>&,
                                const std::string&) const;
template Option Command::option(const std::string&, std::optional<i64>&, const std::string&) const;
template Option Command::option(const std::string&, std::optional<u64>&, const std::string&) const;
template Option Command::option(const std::string&, std::optional<std::size_t>&,
                                const std::string&) const;
template Option Command::option(const std::string&, std::optional<double>&,
                                const std::string&) const;
template Option Command::option(const std::string&, std::vector<std::string>&,
                                const std::string&) const;
template Option Command::option(const std::string&, std::vector<i64>&, const std::string&) const;

Option Command::flag(const std::string& name, bool& value, const std::string& help) const {
  return Option(command_->add_flag(name, value, help)->disable_flag_override());
}

Command Command::command(const std::string& name, const std::string& description) const {
  command_->require_subcommand(1);
  return Command(command_->add_subcommand(name, description));
}

void Command::runs(std::function<void()> work) const { command_->callback(std::move(work)); }

void Command::group(const std::string& heading) const {
  command_->option_defaults()->group(heading);
}

void Command::examples(const std::vector<std::string>& lines) const {
  command_->footer("Examples:\n  tilecast " + join(lines, "\n  tilecast "));
}

void Command::leaves_arguments() const {
  command_->prefix_command();
  command_->set_help_flag();
}

void Command::hides() const { command_->group(""); }

std::string in_batch(const std::string& batch, const std::string& shape) {
  if (!batch.empty() && split_batch(shape).batch) {
    throw ConfigError("batch '" + on_one_line(batch) + "': SHAPE '" + on_one_line(shape) +
                      "' names a batch, too");
  }
  return batch.empty() ? shape : batch + "*" + shape;
}

}  // namespace tilecast
