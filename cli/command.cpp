#include "cli/command.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <utility>

#include "model/base/integers.h"

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

}  // namespace

Option Option::required() const {
  option_->required();
  return *this;
}

Option Option::one_of(std::vector<std::string> words) const {
  option_->check(CLI::IsMember(std::move(words)), kOneOf);
  return *this;
}

template <class T>
Option Option::in_range(T least, T most) const {
  option_->check(CLI::Range(least, most));
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
  return Option(command_->add_flag(name, value, help));
}

void Command::runs(std::function<void()> work) const { command_->callback(std::move(work)); }

void Command::leaves_arguments() const {
  command_->prefix_command();
  command_->set_help_flag();
}

void Command::hides() const { command_->group(""); }

}  // namespace tilecast
