// Tests predict on the largest problems, each in a separate process with a gigabyte of address
// space.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/commands.h"
#include "tests/captured_run.h"
#include "tests/catch.h"
#include "tests/sanitized.h"

namespace tilecast {
namespace {

using Json = nlohmann::json;

/// Two seconds on two CPUs.
constexpr double kMostProcessorSeconds = 4;

struct Answer {
  bool good;
  double processor_seconds;
};

bool predicts(const std::string& shape, const std::string& layout) {
  const CapturedRun run = run_captured(
      run_predict, {"predict", shape, "--layout", layout, "--format", "json", "--top", "3"});
  if (run.exit_code != 0) {
    return false;
  }
  const Json first = Json::parse(run.out)["ranking"][0];
  // The output reports how much of it was simulated.
  return first["time_us"].get<double>() > 0 && first["tflops"].get<double>() < 990 &&
         (first["method"] == "analytic" || first["simulated_part"].get<double>() > 0);
}

Answer in_a_gigabyte(const std::string& shape, const std::string& layout) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit gigabyte{1 << 30, 1 << 30};
    ::setrlimit(RLIMIT_AS, &gigabyte);
    ::_exit(predicts(shape, layout) ? 0 : 1);
  }
  int status = 0;
  rusage used{};
  REQUIRE(::wait4(child, &status, 0, &used) == child);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {WIFEXITED(status) && WEXITSTATUS(status) == 0,
          seconds(used.ru_utime) + seconds(used.ru_stime)};
}

TEST_CASE("The largest problems are answered within two seconds and a gigabyte") {
  if (kSanitized) {
    SUCCEED("a sanitizer takes more than a gigabyte of addresses for itself");
    return;
  }
  for (const char* shape :
       {"128x128x268435456", "8x8x1000000000", "1000000x1000000x8", "524288x524288x64",
        "1x1x2147483640", "16384x16384x16777216", "16777216x8x8", "8x16777216x65536"}) {
    for (const char* layout : {"tn", "nn"}) {
      CAPTURE(shape, layout);
      const Answer answer = in_a_gigabyte(shape, layout);
      CHECK(answer.good);
      CHECK(answer.processor_seconds < kMostProcessorSeconds);
    }
  }
}

}  // namespace
}  // namespace tilecast
