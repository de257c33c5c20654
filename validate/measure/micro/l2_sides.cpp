#include "validate/measure/micro/l2_sides.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tilecast {
namespace {

/// Pearson's correlation of two SMs' latencies over the same lines.
double correlation(std::span<const u32> x, std::span<const u32> y) {
  const double n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double dx = static_cast<double>(x[i]) - mean_x, dy = static_cast<double>(y[i]) - mean_y;
    xy += dx * dy;
    xx += dx * dx;
    yy += dy * dy;
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

double mean_of(std::span<const u32> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

LineLatencies line_latencies(MicroLab& lab, const char* memory, u64 stride, u32 lines) {
  constexpr u32 kReads = 8;
  const u32 sms = lab.sm_count();
  const std::size_t count = std::size_t{sms} * lines;
  const DeviceMemory device(count * sizeof(u32));
  LoadedKernel& kernel = lab.kernel("l2_latency");
  std::vector<TimedSample> samples = lab.run(
      kernel, {.ctas = sms, .threads = 32, .shared_memory_bytes = kWholeSm}, sms,
      reinterpret_cast<const u32*>(memory), stride, lines, kReads, device.as<u32>(), lab.counter());
  return {sms, lines, copy_to_host(device.as<u32>(), count, lab.stream().get()),
          std::move(samples)};
}

TwoMeans two_means(std::span<const u32> values) {
  constexpr int kRounds = 30;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  TwoMeans means{static_cast<double>(*least), static_cast<double>(*most), 0};
  for (int round = 0; round < kRounds; ++round) {
    const double middle = (means.low + means.high) / 2;
    double low = 0, high = 0;
    int lows = 0, highs = 0;
    for (const u32 value : values) {
      const double v = static_cast<double>(value);
      (v > middle ? high : low) += v;
      ++(v > middle ? highs : lows);
    }
    means = {lows > 0 ? low / lows : means.low, highs > 0 ? high / highs : means.high,
             static_cast<double>(highs) / static_cast<double>(values.size())};
  }
  return means;
}

std::vector<bool> on_side_of_sm_0(const LineLatencies& latencies) {
  std::vector<bool> sides;
  for (u32 sm = 0; sm < latencies.sms; ++sm) {
    sides.push_back(correlation(latencies.of_sm(0), latencies.of_sm(sm)) >= 0);
  }
  return sides;
}

std::vector<double> nearer_to_sm_0(const LineLatencies& latencies, const std::vector<bool>& sides) {
  // Each SM against its own mean: some are farther from everything.
  std::vector<double> here(latencies.lines), there(latencies.lines);
  double heres = 0, theres = 0;
  for (u32 sm = 0; sm < latencies.sms; ++sm) {
    const std::span<const u32> cycles = latencies.of_sm(sm);
    const double mean = mean_of(cycles);
    std::vector<double>& sums = sides[sm] ? here : there;
    (sides[sm] ? heres : theres) += 1;
    for (u32 line = 0; line < latencies.lines; ++line) {
      sums[line] += static_cast<double>(cycles[line]) - mean;
    }
  }
  std::vector<double> nearer;
  for (u32 line = 0; line < latencies.lines; ++line) {
    nearer.push_back(there[line] / std::max(1.0, theres) - here[line] / heres);
  }
  return nearer;
}

}  // namespace tilecast
