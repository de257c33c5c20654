// A program with commands. It parses its arguments and runs the named command, and is the only
// place where a failure becomes one line on standard error and an exit code.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/arguments.h"

namespace tilecast {

/// A command of the table and its implementation, which throws Error on failure.
struct RunCommand {
  std::string_view name;
  std::function<void(const Arguments&)> run;
};

/// Runs the command that the arguments name. `tilecast` passes a command that `commands` lacks to
/// the program that has it. Returns the exit code (model/base/error.h); output that could not be
/// written is a failure (kFile). Does not throw.
int run_program(Host host, const std::string& version, const std::vector<RunCommand>& commands,
                int argc, char** argv);

std::string help_text(const CommandRow& command);
/// Returns --help of a program's commands; with --help-all, also of those that maintain a data set.
std::string help_text(Host host, bool all);

}  // namespace tilecast
