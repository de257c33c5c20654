#include <algorithm>

#include "kernels/micro/operand_data.h"
#include "validate/measure/micro/micro_suite.h"

namespace tilecast {
namespace {

constexpr int kRepeats = 15;
constexpr i32 kWarpgroup = 128;  // threads

constexpr OperandData kZeros = OperandData::kZeros, kRandom = OperandData::kRandomBits;

/// Cycles per instruction: the slope between two lengths, for the CTA that takes longest.
MicroPoint slope_of(MicroLab& lab, const WgmmaLoop& loop, u32 ctas, OperandData data) {
  LoadedKernel& kernel = lab.kernel("wgmma_rate", loop.constants());
  const LaunchShape shape{
      .ctas = ctas, .threads = kWarpgroup, .shared_memory_bytes = loop.shared_bytes()};
  const auto run = [&](u32 instructions) {
    const std::vector<TimedSample> all = lab.run(
        kernel, shape, ctas, instructions / static_cast<u32>(loop.group), static_cast<u32>(data));
    return *std::ranges::max_element(all, {}, &TimedSample::cycles);
  };
  constexpr u32 kShort = 256, kLong = 2048;
  const std::vector<TimedSample> shorter = repeated(kRepeats, [&] { return run(kShort); });
  return slope_point(repeated(kRepeats, [&] { return run(kLong); }), shorter);
}

void interval(MicroLab& lab, const WgmmaLoop& loop, const std::string& more = "", u32 ctas = 1,
              OperandData data = kZeros) {
  lab.report(slope_of(lab, loop, ctas, data), "wgmma.interval", loop.variant() + more,
             "wgmma_rate");
}

/// Cost of waiting for each instruction, in addition to the interval.
void completion(MicroLab& lab, i32 n) {
  const WgmmaLoop single{n, false, 1, 0};
  const MicroPoint waited = slope_of(lab, single, 1, kZeros);
  const double interval = lab.point("wgmma.interval", single.variant()).value.median;
  MicroPoint excess = waited;
  excess.value = scaled(waited.value, 1, interval);
  excess.in_time = scaled(excess.value, 1e3 / waited.clock_mhz);
  lab.report(excess, "wgmma.completion_latency", single.variant(), "wgmma_rate");
}

/// Cycles that a warpgroup takes to issue one group into an empty pipe, and until the group has
/// completed.
void issue(MicroLab& lab, i32 n, i32 group) {
  constexpr u32 kRounds = 200;
  const WgmmaLoop loop{n, false, group, 0};
  LoadedKernel& kernel = lab.kernel("wgmma_issue", loop.constants());
  const LaunchShape shape{
      .ctas = 1, .threads = kWarpgroup, .shared_memory_bytes = loop.shared_bytes()};
  const auto places = by_place(
      kRepeats, [&] { return lab.run(kernel, shape, 3, kRounds, static_cast<u32>(kZeros)); });
  const std::string variant = fmt::format("{} instructions={}", loop.variant(), group);
  lab.report(latency_point(less(places[0], places[2])), "wgmma.issue", variant, "wgmma_issue");
  lab.report(latency_point(less(places[1], places[2])), "wgmma.issue_to_done", variant,
             "wgmma_issue");
}

}  // namespace

void measure_wgmma(MicroLab& lab) {
  for (const bool registers : {false, true}) {
    for (const i32 n : {8, 16, 32, 64, 96, 128, 160, 192, 256}) {
      interval(lab, {n, registers, 4, 1});
    }
  }
  const WgmmaLoop wide{256, false, 4, 1};
  interval(lab, wide, " random", 1, kRandom);
  interval(lab, wide, " every SM", lab.sm_count());
  for (const i32 n : {8, 64, 128, 256}) {
    completion(lab, n);
    for (const i32 group : {1, 2, 4, 8, 16, 32}) {
      issue(lab, n, group);
    }
  }
}

}  // namespace tilecast
