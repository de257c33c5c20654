#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "model/base/error.h"
#include "validate/measure/micro_suite.h"

namespace tilecast {
namespace {

constexpr int kRepeats = 15;

void chain(MicroLab& lab, std::size_t span, const std::string& key, const std::string& variant) {
  constexpr u32 kLoads = 1000;
  LoadedKernel& kernel = lab.kernel("load_latency");
  const u32* memory = reinterpret_cast<const u32*>(lab.memory(std::size_t{8} << 30));
  // In L2 the second pass counts, along the same places; beyond it each run draws its own.
  const bool in_l2 = span <= (std::size_t{16} << 20);
  const u32 passes = in_l2 ? 2 : 1;
  u32 seed = 1;
  std::vector<TimedSample> samples;
  for (int i = 0; i < kRepeats; ++i) {
    samples.push_back(lab.run(kernel, {.ctas = 1, .threads = 32, .shared_memory_bytes = 0}, passes,
                              memory, static_cast<u64>(span), seed, kLoads, passes)[passes - 1]);
    seed += in_l2 ? 0 : 1;
  }
  lab.report(latency_point(samples), "latency", key, variant, "load_latency");
}

struct TwoMeans {
  double low, high;
  double share_high;
};

/// Parts one SM's latencies in two groups: each value joins the nearer mean.
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

void near_and_far(MicroLab& lab) {
  constexpr u32 kLines = 512, kReads = 8;
  constexpr u64 kStride = 4096 + 128;
  const u32 sms = lab.sm_count();
  const u32* memory = reinterpret_cast<const u32*>(lab.memory(kLines * kStride));
  const DeviceMemory device(std::size_t{sms} * kLines * sizeof(u32));
  LoadedKernel& kernel = lab.kernel("l2_latency");
  const std::vector<TimedSample> samples =
      lab.run(kernel, {.ctas = sms, .threads = 32, .shared_memory_bytes = kWholeSm}, sms, memory,
              kStride, kLines, kReads, device.as<u32>(), lab.counter());
  lab.report(latency_point(samples), "latency", "l2.load_latency_all_sms", "every SM at once",
             "l2_latency");
  const std::vector<u32> all =
      copy_to_host(device.as<u32>(), std::size_t{sms} * kLines, lab.stream().get());
  const auto of_sm = [&](u32 sm) {
    return std::span<const u32>(all).subspan(std::size_t{sm} * kLines, kLines);
  };
  std::vector<double> near, far, share, side;
  for (u32 sm = 0; sm < sms; ++sm) {
    const TwoMeans means = two_means(of_sm(sm));
    near.push_back(means.low);
    far.push_back(means.high);
    share.push_back(means.share_high);
    // SMs on one side of the chip are near to the same lines.
    side.push_back(correlation(of_sm(0), of_sm(sm)) >= 0 ? 1.0 : 0.0);
    lab.report_number("latency", "l2.hit_latency_of_sm", fmt::format("sm={} near", sm),
                      "l2_latency", "cycle", {means.low});
    lab.report_number("latency", "l2.hit_latency_of_sm", fmt::format("sm={} far", sm), "l2_latency",
                      "cycle", {means.high});
    lab.report_number("latency", "l2.side_of_sm", fmt::format("sm={}", sm), "l2_latency", "1",
                      {side.back()});
  }
  lab.report_number("latency", "l2.hit_latency", "near", "l2_latency", "cycle", near);
  lab.report_number("latency", "l2.hit_latency", "far", "l2_latency", "cycle", far);
  lab.report_number("latency", "l2.far_share", "lines", "l2_latency", "1", share);
  lab.report_number("latency", "l2.sms_on_side_of_sm_0", "", "l2_latency", "1",
                    {std::accumulate(side.begin(), side.end(), 0.0)});
}

}  // namespace

void measure_latency(MicroLab& lab) {
  LoadedKernel& shared = lab.kernel("shared_latency");
  lab.report(latency_point(repeated(
                 kRepeats,
                 [&] {
                   return lab.run(shared, {.ctas = 1, .threads = 32, .shared_memory_bytes = 0}, 1,
                                  4000u)[0];
                 })),
             "latency", "shared_memory.load_latency", "", "shared_latency");
  chain(lab, std::size_t{1} << 20, "l2.load_latency", "span=1MiB");
  chain(lab, std::size_t{16} << 20, "l2.load_latency", "span=16MiB");
  chain(lab, std::size_t{512} << 20, "dram.load_latency", "span=512MiB");
  chain(lab, std::size_t{2} << 30, "dram.load_latency", "span=2GiB");
  chain(lab, std::size_t{8} << 30, "dram.load_latency", "span=8GiB");
  near_and_far(lab);
  LoadedKernel& copy = lab.kernel("cp_async_latency");
  for (const u32 count : {1u, 2u, 4u, 8u, 16u, 32u}) {
    constexpr i32 kWarpBytes = 512;
    const char* memory = lab.memory(std::size_t{count} * kWarpBytes);
    lab.report(latency_point(repeated(kRepeats,
                                      [&] {
                                        return lab.run(copy,
                                                       {.ctas = 1,
                                                        .threads = 32,
                                                        .shared_memory_bytes =
                                                            static_cast<i32>(count) * kWarpBytes},
                                                       1, memory, count, 200u)[0];
                                      })),
               "latency", "cp_async.latency", fmt::format("copies={}", count), "cp_async_latency");
  }
}

}  // namespace tilecast
