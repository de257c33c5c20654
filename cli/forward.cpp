#include "cli/forward.h"

#include <unistd.h>

#include <cerrno>
#include <functional>
#include <string>
#include <system_error>

#include "model/base/error.h"
#include "model/base/system_reason.h"

namespace tilecast {
namespace {

struct Forwarded {
  const char *command, *description;
  bool shown = true;
};

constexpr Forwarded kOfData[] = {
    {"validate", "Judge the model by measurements: error, order, picks"},
    {"calibrate", "Fit the model's constants to measurements of a GPU"},
    {"emit", "Write the fastest configuration's kernel as one .cu file that nvcc builds and runs"},
    {"completion", "Print a completion script for bash or zsh"},
    {"report", "Write a page of predicted and measured kernels"},
    {"plan", "Write a numbered list of points to measure, for `measure --plan --shard I/N`"},
    {"merge", "Merge the rows of a plan's shards; exits with 5 where points are missing"},
    {"status", "Show the progress of a plan's shards: done, failed, time left"},
    {"slurm", "Write Slurm job scripts that measure a plan"},
};
constexpr Forwarded kOfGpu[] = {
    {"measure", "Time kernels on this machine's GPU"},
    {"micro", "Measure the constants of this machine's GPU"},
    {"probe", "What tilecast-gpu finds on this machine, for doctor", false},
};

std::filesystem::path program_beside(const char* name) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return self.parent_path() / name;
}

[[noreturn]] void hand_to_data(char** argv) {
  const std::string program = program_beside("tilecast-data");
  ::execv(program.c_str(), argv);
  const int error = errno;
  throw FileError(program + ": cannot start: " + system_reason(error) +
                  (error == ENOENT ? "; the target tilecast-data builds it" : ""));
}

[[noreturn]] void hand_to_gpu(const std::string& command, char** argv) {
  const std::string program = gpu_program();
  ::execv(program.c_str(), argv);
  if (errno == ENOENT) {
    throw DeviceError(command +
                      " needs the CUDA toolkit 12.8 or later with NVRTC, CUPTI and cuBLASLt, which "
                      "was not found when tilecast was built");
  }
  throw DeviceError(program + ": cannot start: " + system_reason(errno));
}

void add_forwarded(Program& program, const Forwarded& forwarded,
                   const std::function<void(const std::string&)>& hand_on) {
  const std::string command = forwarded.command;
  const Command added = program.command(command, forwarded.description);
  added.leaves_arguments();
  if (!forwarded.shown) {
    added.hides();
  }
  added.runs([hand_on, command] { hand_on(command); });
}

}  // namespace

std::filesystem::path main_program() { return program_beside("tilecast"); }
std::filesystem::path gpu_program() { return program_beside("tilecast-gpu"); }

void add_forwarded(Program& program, char** argv) {
  for (const Forwarded& forwarded : kOfData) {
    add_forwarded(program, forwarded, [argv](const std::string&) { hand_to_data(argv); });
  }
  for (const Forwarded& forwarded : kOfGpu) {
    add_forwarded(program, forwarded,
                  [argv](const std::string& command) { hand_to_gpu(command, argv); });
  }
}

}  // namespace tilecast
