#include <fmt/format.h>

#include <algorithm>

#include "validate/measure/micro/l2_sides.h"
#include "validate/measure/micro/micro_suite.h"

namespace tilecast {
namespace {

constexpr int kRepeats = 15;

void chain(MicroLab& lab, std::size_t span, const std::string& key, const std::string& variant) {
  constexpr u32 kLoads = 1000;
  LoadedKernel& kernel = lab.kernel("load_latency");
  const char* memory = lab.memory(std::size_t{8} << 30);
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

void near_and_far(MicroLab& lab) {
  constexpr u32 kLines = 512;
  constexpr u64 kStride = 4096 + 128;
  const u32 sms = lab.sm_count();
  const LineLatencies latencies =
      line_latencies(lab, lab.memory(kLines * kStride), kStride, kLines);
  lab.report(latency_point(latencies.samples), "latency", "l2.load_latency_all_sms",
             "every SM at once", "l2_latency");
  const std::vector<bool> sides = on_side_of_sm_0(latencies);
  // Cycles that a difference of clock64 gave, at the clock of the SM over all its reads.
  const auto report_cycles = [&](const std::string& key, const std::string& variant,
                                 std::vector<double> cycles) {
    lab.report(cycles_point(std::move(cycles), latencies.samples), "latency", key, variant,
               "l2_latency");
  };
  std::vector<double> near, far, share;
  for (u32 sm = 0; sm < sms; ++sm) {
    const TwoMeans means = two_means(latencies.of_sm(sm));
    near.push_back(means.low);
    far.push_back(means.high);
    share.push_back(means.share_high);
    report_cycles("l2.hit_latency_of_sm", fmt::format("sm={} near", sm), {means.low});
    report_cycles("l2.hit_latency_of_sm", fmt::format("sm={} far", sm), {means.high});
    lab.report_number("latency", "l2.side_of_sm", fmt::format("sm={}", sm), "l2_latency", "1",
                      {sides[sm] ? 1.0 : 0.0});
  }
  report_cycles("l2.hit_latency", "near", near);
  report_cycles("l2.hit_latency", "far", far);
  lab.report_number("latency", "l2.far_share", "lines", "l2_latency", "1", share);
  lab.report_number("latency", "l2.sms_on_side_of_sm_0", "", "l2_latency", "1",
                    {static_cast<double>(std::count(sides.begin(), sides.end(), true))});
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
