// What the two programs share: parsing, and the one place where a failure becomes one line on
// standard error and an exit code.
#pragma once

#include <CLI/CLI.hpp>

namespace tilecast {

/// Parses the arguments, which runs the callback of the command they name, and returns the exit
/// code (model/base/error.h). Output that could not be written is a failure (kFile). Throws
/// nothing.
int run_program(CLI::App& app, int argc, const char* const* argv);

}  // namespace tilecast
