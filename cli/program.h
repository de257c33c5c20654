// A program of commands: it parses its arguments, runs the command that they name, and is the one
// place where a failure becomes one line on standard error and an exit code.
#pragma once

#include <memory>
#include <string>

#include "cli/command.h"

namespace tilecast {

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

  /// Returns the exit code (model/base/error.h). Output that could not be written is a failure
  /// (kFile). Throws nothing.
  int run(int argc, const char* const* argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace tilecast
