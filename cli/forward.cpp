#include "cli/forward.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "model/base/error.h"

namespace tilecast {
namespace {

[[noreturn]] void forward(const std::string& command, char** argv) {
  const std::string program = gpu_program();
  ::execv(program.c_str(), argv);
  if (errno == ENOENT) {
    throw DeviceError(command +
                      " needs the CUDA toolkit 12.8 or later with NVRTC, CUPTI and cuBLASLt, which "
                      "was not found when tilecast was built");
  }
  throw DeviceError(program + ": cannot start: " + std::strerror(errno));
}

void add_forwarded(CLI::App& app, char** argv, const std::string& command,
                   const std::string& description, const std::string& group) {
  app.add_subcommand(command, description)
      ->group(group)
      ->prefix_command()  // its arguments are not looked at here, --help included
      ->set_help_flag();
  app.get_subcommand(command)->callback([command, argv] { forward(command, argv); });
}

}  // namespace

std::filesystem::path gpu_program() {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return self.parent_path() / "tilecast-gpu";
}

void add_forwarded(CLI::App& app, char** argv) {
  add_forwarded(app, argv, "measure", "Time kernels on this machine's GPU", "Subcommands");
  add_forwarded(app, argv, "micro", "Measure the constants of this machine's GPU", "Subcommands");
  add_forwarded(app, argv, "probe", "What tilecast-gpu finds on this machine, for doctor", "");
}

}  // namespace tilecast
