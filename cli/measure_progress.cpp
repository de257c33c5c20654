#include "cli/measure_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "model/tile/kernel_config_text.h"

namespace tilecast {

MeasureProgress::MeasureProgress(std::string what)
    : what_(std::move(what)), terminal_(::isatty(STDERR_FILENO) == 1) {}

void MeasureProgress::show(std::size_t done, std::size_t all, const std::string& text) {
  constexpr std::size_t kPlainEvery = 100;
  constexpr std::size_t kTerminalColumns = 150;
  std::string line = fmt::format("{} {}/{} {}", what_, done, all, text);
  if (terminal_) {
    line.resize(std::min(line.size(), kTerminalColumns));
    fmt::print(stderr, "\r\033[K{}", line);
    std::fflush(stderr);
    open_ = true;
  } else if (!text.empty() || done % kPlainEvery == 0 || done == all) {
    fmt::print(stderr, "{}\n", line);
  }
}

void MeasureProgress::finish() {
  if (open_) {
    fmt::print(stderr, "\n");
    open_ = false;
  }
}

std::string describe(const Point& point) {
  return fmt::format("{} {} {} {} {} {}", to_text(point.problem.shape),
                     to_text(point.problem.dtype), to_text(point.problem.layout),
                     to_text(point.regime), to_text(point.inputs), point.config);
}

std::string describe_result(const Measurement& row) {
  constexpr double kMicro = 1e6, kMega = 1e6, kTera = 1e12;
  if (row.status != Status::kOk || !row.time || !row.sm_clock) {
    return fmt::format("{}: {}", to_text(row.status), row.reason);
  }
  const Seconds time = row.time->median;
  return fmt::format("ok {:.2f} us {:.0f} MHz {:.1f} TFLOPS", time.value * kMicro,
                     row.sm_clock->value / kMega,
                     gemm_flops(row.point.problem.shape) / time.value / kTera);
}

}  // namespace tilecast
