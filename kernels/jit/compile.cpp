#include "kernels/jit/compile.h"

#include <fmt/format.h>

#include <utility>

#include "kernels/jit/nvrtc.h"
#include "kernels/jit/source_closure.h"
#include "model/base/error.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

constexpr int kErrorLinesShown = 8;

void check(nvrtcResult result, const char* call) {
  if (result != NVRTC_SUCCESS) {
    throw Error(ExitCode::kWrong, fmt::format("{}: {}", call, nvrtc().error_string(result)));
  }
}

std::pair<int, int> version() {
  int major = 0;
  int minor = 0;
  check(nvrtc().version(&major, &minor), "nvrtcVersion");
  return {major, minor};
}

class Program {
 public:
  /// `closure`: the source's file first, then its headers.
  Program(const KernelSource& source, std::span<const EmbeddedSource> closure) {
    std::vector<const char*> texts;
    std::vector<const char*> names;
    for (const EmbeddedSource& header : source.text.empty() ? closure.subspan(1) : closure) {
      texts.push_back(header.text);
      names.push_back(header.path);
    }
    const char* const text = source.text.empty() ? closure[0].text : source.text.c_str();
    const char* const name = source.text.empty() ? closure[0].path : "config.cu";
    check(nvrtc().create_program(&program_, text, name, static_cast<int>(names.size()),
                                 texts.data(), names.data()),
          "nvrtcCreateProgram");
  }
  ~Program() { nvrtc().destroy_program(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  nvrtcResult compile(const std::vector<std::string>& options) {
    std::vector<const char*> pointers;
    for (const std::string& option : options) {
      pointers.push_back(option.c_str());
    }
    return nvrtc().compile_program(program_, static_cast<int>(pointers.size()), pointers.data());
  }

  std::string log() const {
    std::size_t size = 0;
    check(nvrtc().log_size(program_, &size), "nvrtcGetProgramLogSize");
    std::string text(size, '\0');
    check(nvrtc().log(program_, text.data()), "nvrtcGetProgramLog");
    text.resize(text.find('\0') == std::string::npos ? text.size() : text.find('\0'));
    return text;
  }

  std::string cubin() const {
    std::size_t size = 0;
    check(nvrtc().cubin_size(program_, &size), "nvrtcGetCUBINSize");
    std::string bytes(size, '\0');
    check(nvrtc().cubin(program_, bytes.data()), "nvrtcGetCUBIN");
    return bytes;
  }

 private:
  nvrtcProgram program_ = nullptr;
};

/// Drops the line with ptxas's compile time, so that equal inputs give equal logs.
std::string without_compile_time(std::string_view log) {
  std::vector<std::string> kept;
  for (const std::string_view line : split(log, '\n')) {
    if (line.find(": Compile time = ") == std::string_view::npos) {
      kept.emplace_back(line);
    }
  }
  return join(kept, "\n");
}

/// Returns the log, starting at the first line that contains an error.
std::string first_errors(std::string_view log) {
  std::vector<std::string> shown;
  for (const std::string_view line : split(log, '\n')) {
    const bool is_error = line.find("error") != std::string_view::npos ||
                          line.find("fatal") != std::string_view::npos;
    if ((is_error || !shown.empty()) && !line.empty() && shown.size() < kErrorLinesShown) {
      shown.emplace_back(line);
    }
  }
  return join(shown, "\n");
}

}  // namespace

KernelSource with_constants(const std::string& path, const std::string& constants) {
  return {.path = path, .text = fmt::format("{}\n#include \"{}\"\n", constants, path)};
}

std::string nvrtc_version() {
  const auto [major, minor] = version();
  return fmt::format("{}.{}", major, minor);
}

std::vector<std::string> compile_options(const KernelSource& source) {
  std::vector<std::string> options = {
      "--gpu-architecture=" + source.architecture,
      "--std=c++20",
      "--ptxas-options=-v",
  };
  // From version 12.9 on NVRTC has a cache in the user's home, which is disabled here.
  if (version() >= std::pair{12, 9}) {
    options.push_back("--no-cache");
  }
  return options;
}

CompiledKernel compile_kernel(const KernelSource& source, std::span<const EmbeddedSource> sources) {
  Program program(source, source_closure(source.path, sources));
  const nvrtcResult result = program.compile(compile_options(source));
  CompiledKernel kernel{};
  kernel.log = without_compile_time(program.log());
  if (result != NVRTC_SUCCESS) {
    throw Error(ExitCode::kWrong,
                fmt::format("{} does not compile ({}): {}", source.path,
                            nvrtc().error_string(result), first_errors(kernel.log)));
  }
  kernel.cubin = program.cubin();
  kernel.report = parse_ptxas_log(kernel.log);
  kernel.rejection = rejection(kernel.report);
  return kernel;
}

}  // namespace tilecast
