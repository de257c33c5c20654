#include "cli/forward.h"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>

#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/base/system_reason.h"

namespace tilecast {
namespace {

std::filesystem::path program_next_to(const char* name) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return self.parent_path() / name;
}

}  // namespace

std::filesystem::path gpu_program() { return program_next_to("tilecast-gpu"); }

void hand_on(const CommandRow& command, char** argv) {
  const bool to_gpu = command.host == Host::kGpu;
  const std::string program = to_gpu ? gpu_program() : program_next_to("tilecast-data");
  ::execv(program.c_str(), argv);
  const int error = errno;
  refuse_if<DeviceError>(to_gpu && error == ENOENT,
                         "{} needs the CUDA toolkit 12.8 or later with NVRTC, CUPTI and cuBLASLt, "
                         "which was not found when tilecast was built",
                         command.name);
  const std::string why = program + ": cannot start: " + system_reason(error);
  if (to_gpu) {
    throw DeviceError(why);
  }
  throw FileError(why + (error == ENOENT
                             ? "; build it: cmake --build build/release --target tilecast-data"
                             : ""));
}

}  // namespace tilecast
