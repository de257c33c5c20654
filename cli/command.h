// How a command declares its arguments. Each is bound to a variable, whose value is the default;
// --help shows it, unless it is empty. CLI11 does the parsing: only command.cpp and program.cpp
// include it, since a source that uses its templates takes ten seconds longer to compile.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tilecast {

/// CLI11's name for the check of Option::one_of, by which Program::options() finds its words.
inline constexpr const char* kOneOf = "one_of";
/// And for that of numbers.
inline constexpr const char* kNumber = "number";

/// An argument of a command, to say more about; a value that breaks its rules is a ConfigError.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option required() const;
  /// In any letter case.
  Option one_of(const std::vector<std::string>& words) const;
  /// `least` and `most` are allowed too. For the types that command.cpp lists.
  template <class T>
  Option in_range(T least, T most) const;
  /// Of a list: how many values, at least and at most.
  Option expects(int least, int most) const;
  /// Only together with the other one.
  Option needs(Option other) const;
  /// Never together with the other one, which excludes this one too.
  Option excludes(Option other) const;

  /// Whether the arguments hold it; to be asked when the command runs.
  bool given() const;

 private:
  CLI::Option* option_;
};

/// A command of a program (program.h), which holds it.
class Command {
 public:
  explicit Command(CLI::App* command) : command_(command) {}

  /// `--name`, or a NAME by its place. `value` is text, a number, an optional one, or a list, which
  /// takes several values, of the types that command.cpp lists. It must outlive the parsing.
  template <class T>
  Option option(const std::string& name, T& value, const std::string& help) const;
  /// Without a value: sets `value`.
  Option flag(const std::string& name, bool& value, const std::string& help) const;

  /// A verb of this command, one of which is then needed.
  Command command(const std::string& name, const std::string& description) const;

  /// What it does, once all arguments are parsed; throws Error where it fails.
  void runs(std::function<void()> work) const;

  /// The heading in --help of the options that follow; of an empty one they are not listed.
  void group(const std::string& heading) const;
  /// Shown at the end of --help, a line each.
  void examples(const std::vector<std::string>& lines) const;
  /// Takes whatever follows its name, --help included, for another program to parse.
  void leaves_arguments() const;
  /// Is not listed by --help.
  void hides() const;

 private:
  CLI::App* command_;
};

/// A shape with the batch beside it, which may be empty. Throws ConfigError where both name one.
std::string in_batch(const std::string& batch, const std::string& shape);

}  // namespace tilecast
