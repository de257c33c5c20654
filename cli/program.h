// A program of commands: it parses its arguments, runs the command that they name, and is the one
// place where a failure becomes one line on standard error and an exit code.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"

namespace tilecast {

/// One row of what a program takes: a command, with an empty `option`, or one of its options.
struct OptionRow {
  std::string command;
  std::string option;              // --gpu; KIND where it goes by its place
  std::vector<std::string> words;  // the only ones that it takes; empty where it takes others

  bool has_dashes() const { return option.starts_with("--"); }

  bool operator==(const OptionRow&) const = default;
};

/// As text, a row a line, and back.
std::string to_text(const std::vector<OptionRow>& rows);
std::vector<OptionRow> parse_option_rows(std::string_view text);

class Program {
 public:
  /// `name` is the one that messages and --help show.
  Program(const std::string& name, const std::string& description);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Answers --version.
  void set_version(const std::string& version);
  Command command(const std::string& name, const std::string& description);
  /// One that tilecast hands on, described in forward.cpp.
  Command command(const std::string& name);

  /// Of the commands that --help lists, in its order.
  std::vector<OptionRow> options() const;
  /// Adds the hidden command `option-table`, which prints options() for another program.
  void tell_options();

  /// Returns the exit code (model/base/error.h). Output that could not be written is a failure
  /// (kFile). Throws nothing.
  int run(int argc, const char* const* argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace tilecast
