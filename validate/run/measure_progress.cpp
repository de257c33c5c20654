#include "validate/run/measure_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "model/ops/any_op.h"

namespace tilecast {

MeasureProgress::MeasureProgress(std::string what, bool quiet)
    : what_(std::move(what)), quiet_(quiet) {}

void MeasureProgress::show(std::size_t done, std::size_t all, const std::string& text,
                           std::optional<Seconds> left) {
  constexpr std::size_t kPlainEvery = 100;
  if (quiet_) {
    return;
  }
  const std::string line = fmt::format("{} {}/{} {}{}", what_, done, all,
                                       left ? clock_text(*left) + " left  " : "", text);
  line_.show(line);
  if (!line_.on_terminal() && (!text.empty() || done % kPlainEvery == 0 || done == all)) {
    fmt::print(stderr, "{}\n", line);
  }
}

std::string clock_text(Seconds time) {
  constexpr i64 kMinute = 60, kHour = 3600;
  const i64 seconds = std::max<i64>(0, std::llround(time.value));
  const std::string rest = fmt::format("{:02}", seconds % kMinute);
  return seconds < kHour
             ? fmt::format("{}:{}", seconds / kMinute, rest)
             : fmt::format("{}:{:02}:{}", seconds / kHour, seconds % kHour / kMinute, rest);
}

std::string describe(const Point& point) {
  const std::string l2 =
      point.l2_state == L2State::kRotating ? "" : fmt::format(" {}", to_text(point.l2_state));
  return fmt::format("{} {} {}{} {}", to_text(point.problem), to_text(point.regime),
                     to_text(point.inputs), l2, point.config);
}

std::string describe_result(const Measurement& row) {
  constexpr double kMicro = 1e6, kMega = 1e6, kTera = 1e12;
  if (row.status != Status::kOk || !row.time) {
    return fmt::format("{}: {}", to_text(row.status), row.reason);
  }
  const Seconds time = row.time->median;
  const double flops = flops_of(row.point.problem);
  return fmt::format(
      "ok {:.2f} us {} {}", time.value * kMicro,
      row.sm_clock ? fmt::format("{:.0f} MHz", row.sm_clock->value / kMega) : "",
      flops > 0 ? fmt::format("{:.1f} TFLOPS", flops / time.value / kTera)
                : fmt::format("{:.3f} TB/s", least_bytes(row.point.problem) / time.value / kTera));
}

}  // namespace tilecast
