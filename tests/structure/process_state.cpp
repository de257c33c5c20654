#include "tests/structure/process_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "model/base/text.h"

namespace tilecast {
namespace {

struct Refused {
  const char* names;  // a regular expression for whole words
  const char* why;
};
constexpr Refused kRefused[] = {
    {"sto[dfil]|stold|stoll|stoul|stoull|strto(?:d|f|ld|l|ul|ll|ull|imax|umax)|ato[fil]|atoll|"
     "v?[fs]?scanf",
     "the locale decides what it reads; use std::from_chars"},
    {"w?[io]?stringstream|w?[io]?fstream|cout|cerr|setprecision|put_time|get_time",
     "a stream converts numbers by a locale; use fmt and model/base/file.h"},
    {"setlocale|uselocale|newlocale|localeconv|imbue", "the locale is the caller's"},
    {"umask", "the umask is the whole process's, and can only be read by changing it"},
    {"setenv|unsetenv|putenv|clearenv", "other threads may read the environment"},
    {"getenv|secure_getenv", "other threads may change the environment"},
    {"chdir|fchdir|current_path|getcwd", "the working directory is the whole process's"},
    {"localtime|localtime_r|mktime|tzset", "the time zone comes from the environment"},
    {"srand|rand|drand48|strtok", "its state is the whole process's"},
};

struct Exception {
  std::string_view path, name;
  // Why the use is allowed. The environment is read where a documented variable takes effect, by
  // the library once per plan or forecast; a caller that changes it concurrently breaks every
  // reader.
  const char* reason;
};
constexpr Exception kExceptions[] = {
    {"model/spec/load_gpu.cpp", "getenv", "TILECAST_CONFIG_DIR"},
    {"library/installed_configs.cpp", "getenv", "TILECAST_CONFIG_DIR"},
    {"library/request.cpp", "getenv", "TILECAST_CHECK_GROUPS"},
    {"kernels/jit/cubin_cache.cpp", "getenv", "the cache's folder"},
    {"cli/gpu_device.cpp", "getenv", "CUDA_VISIBLE_DEVICES, in a program"},
    {"cli/report.cpp", "getenv", "where the report's charts come from, in a program"},
    {"model/base/file.cpp", "ifstream", "bytes as they are"},
    {"model/spec/yaml_tree.cpp", "istringstream", "yaml-cpp reads text from a stream"},
    {"cli/problem_list.cpp", "ifstream", "lines, not numbers"},
    {"reports/prediction_cache.h", "ofstream", "lines that fmt made"},
    {"validate/measure/device_facts.cpp", "ifstream", "lines, not numbers"},
    {"validate/measure/device_facts.cpp", "istringstream", "words, not numbers"},
};

/// The line without comments and string contents.
std::string code_of(std::string_view line) {
  static const std::regex kTexts(R"re("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')re");
  const std::string bare = std::regex_replace(std::string(line), kTexts, "\"\"");
  return bare.substr(0, bare.find("//"));
}

struct Use {
  std::string name;
  int line;
  const char* why;
};

std::vector<Use> uses(std::string_view content) {
  static const std::vector<std::pair<std::regex, const char*>> kPatterns = [] {
    std::vector<std::pair<std::regex, const char*>> patterns;
    for (const Refused& refused : kRefused) {
      patterns.emplace_back(fmt::format("\\b(?:{})\\b", refused.names), refused.why);
    }
    return patterns;
  }();
  std::vector<Use> found;
  int number = 0;
  for (const std::string_view line : split(content, '\n')) {
    ++number;
    const std::string code = code_of(line);
    if (code.starts_with("#include")) {
      continue;
    }
    for (const auto& [pattern, why] : kPatterns) {
      for (std::sregex_iterator at(code.begin(), code.end(), pattern), end; at != end; ++at) {
        found.push_back({at->str(), number, why});
      }
    }
  }
  return found;
}

}  // namespace

bool leaves_process_alone(std::string_view path) {
  constexpr std::string_view kLayers[] = {"model/",    "library/", "cli/",     "kernels/",
                                          "validate/", "reports/", "include/", "python/bindings/"};
  const bool is_ours = std::ranges::any_of(
      kLayers, [path](std::string_view layer) { return path.starts_with(layer); });
  return is_ours && (path.ends_with(".h") || path.ends_with(".hpp") || path.ends_with(".cpp")) &&
         !path.ends_with("_test.cpp") && !path.ends_with("_benchmark.cpp");
}

std::vector<std::string> process_state_violations(std::string_view path, std::string_view content) {
  std::vector<std::string> violations;
  for (const Use& use : uses(content)) {
    if (std::ranges::none_of(kExceptions, [&](const Exception& known) {
          return known.path == path && known.name == use.name;
        })) {
      violations.push_back(fmt::format("{}:{}: {}: {}", path, use.line, use.name, use.why));
    }
  }
  return violations;
}

std::vector<std::string> stale_exceptions(std::string_view path, std::string_view content) {
  const std::vector<Use> present = uses(content);
  std::vector<std::string> stale;
  for (const Exception& known : kExceptions) {
    if (known.path == path && std::ranges::find(present, known.name, &Use::name) == present.end()) {
      stale.push_back(fmt::format("{}: the exception for {} is not needed", path, known.name));
    }
  }
  return stale;
}

}  // namespace tilecast
