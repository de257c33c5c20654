// tilecast-gpu, the second program: it lies beside this one and holds what needs the CUDA toolkit,
// so that tilecast itself starts on any machine.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>

namespace tilecast {

/// Where tilecast-gpu lies if it was built.
std::filesystem::path gpu_program();

/// Adds the commands that tilecast-gpu carries out. Each becomes that program, with the arguments
/// as they are; throws DeviceError where it was not built or cannot be started.
void add_forwarded(CLI::App& app, char** argv);

}  // namespace tilecast
