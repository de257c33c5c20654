#include "cli/forward.h"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <system_error>
#include <vector>

#include "model/base/error.h"
#include "model/base/system_reason.h"

namespace tilecast {
namespace {

struct Forwarded {
  const char *command, *description;
  bool of_gpu = false, shown = true;
};

constexpr Forwarded kForwarded[] = {
    {"validate", "Judge the model by measurements: error, order, picks"},
    {"calibrate", "Fit the model's constants to measurements of a GPU"},
    {"emit", "Write the fastest configuration's kernel as one .cu file that nvcc builds and runs"},
    {"completion", "Print a completion script for bash or zsh"},
    {"report", "Write a page of predicted and measured kernels"},
    {"campaign", "Share measuring out: expand suites, plan, status, merge, slurm"},
    {"measure", "Time kernels on this machine's GPU", true},
    {"micro", "Measure the constants of this machine's GPU", true},
    {"probe", "What tilecast-gpu finds on this machine, for doctor", true, false},
};

/// The names of these verbs before `campaign` existed.
constexpr const char* kVerbs[][2] = {{"suite", "expand"},
                                     {"plan", "plan"},
                                     {"status", "status"},
                                     {"merge", "merge"},
                                     {"slurm", "slurm"}};

std::filesystem::path program_beside(const char* name) {
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  return self.parent_path() / name;
}

[[noreturn]] void hand_on(const std::string& command, bool to_gpu, char** argv) {
  const std::string program = to_gpu ? gpu_program() : program_beside("tilecast-data");
  ::execv(program.c_str(), argv);
  const int error = errno;
  if (to_gpu && error == ENOENT) {
    throw DeviceError(command +
                      " needs the CUDA toolkit 12.8 or later with NVRTC, CUPTI and cuBLASLt, which "
                      "was not found when tilecast was built");
  }
  const std::string why = program + ": cannot start: " + system_reason(error);
  if (to_gpu) {
    throw DeviceError(why);
  }
  throw FileError(why + (error == ENOENT ? "; the target tilecast-data builds it" : ""));
}

}  // namespace

std::filesystem::path main_program() { return program_beside("tilecast"); }
std::filesystem::path gpu_program() { return program_beside("tilecast-gpu"); }

const char* description_of(std::string_view command) {
  for (const Forwarded& forwarded : kForwarded) {
    if (forwarded.command == command) {
      return forwarded.description;
    }
  }
  TILECAST_ASSERT(!"a command that tilecast does not hand on");
  return "";
}

void add_forwarded(Program& program, char** argv) {
  for (const Forwarded& forwarded : kForwarded) {
    const Command added = program.command(forwarded.command);
    added.leaves_arguments();
    if (!forwarded.shown) {
      added.hides();
    }
    added.runs([forwarded, argv] { hand_on(forwarded.command, forwarded.of_gpu, argv); });
  }
  for (const auto& [before, verb] : kVerbs) {
    const Command added = program.command(before, "");
    added.leaves_arguments();
    added.hides();
    added.runs([verb = verb, argv] {
      std::vector<char*> words{argv[0], const_cast<char*>("campaign"), const_cast<char*>(verb)};
      for (char** word = argv + 2; words.emplace_back(*word) != nullptr; ++word) {
      }
      hand_on("campaign", false, words.data());
    });
  }
}

}  // namespace tilecast
