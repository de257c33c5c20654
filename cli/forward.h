// The programs beside tilecast: tilecast-data works on measurements, and tilecast-gpu holds what
// needs the CUDA toolkit, so that tilecast itself is built soon and starts on any machine.
#pragma once

#include <filesystem>
#include <string_view>

#include "cli/program.h"

namespace tilecast {

/// Where they lie; tilecast-gpu if it was built.
std::filesystem::path main_program();
std::filesystem::path gpu_program();

/// What --help says of a command that tilecast hands on.
const char* description_of(std::string_view command);

/// Adds the commands that the other programs carry out. Each becomes that program, with the
/// arguments as they are. Throws DeviceError where tilecast-gpu was not built, FileError where
/// tilecast-data was not, and the same where it cannot be started.
void add_forwarded(Program& program, char** argv);

}  // namespace tilecast
