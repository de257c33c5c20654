// The other programs: tilecast-data works on measurements, and tilecast-gpu needs the CUDA toolkit;
// tilecast itself builds quickly and runs on any machine.
#pragma once

#include <filesystem>

#include "cli/option_table.h"

namespace tilecast {

/// Path of tilecast-gpu, if it was built.
std::filesystem::path gpu_program();

/// Replaces this process by the program that implements the command, with the same arguments.
/// Throws DeviceError for tilecast-gpu and FileError for other programs if it was not built or
/// cannot be started.
[[noreturn]] void hand_on(const CommandRow& command, char** argv);

}  // namespace tilecast
