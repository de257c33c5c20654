#include "validate/measure/micro/micro_wgmma.h"

#include <fmt/format.h>

#include <algorithm>

#include "validate/measure/micro/micro_suite.h"

namespace tilecast {
namespace {

constexpr int kRepeats = 15;
constexpr i32 kInstructionNs[] = {8, 16, 32, 64, 96, 128, 160, 192, 256};
constexpr const char* kKernel = "wgmma_rate";

constexpr OperandData kZeros = OperandData::kZeros, kRandom = OperandData::kRandomBits;

/// Cycles per instruction: the slope between two lengths, over the CTAs' first warpgroups.
MicroPoint slope_of(MicroLab& lab, const WgmmaLoop& loop, u32 ctas, OperandData data) {
  LoadedKernel& kernel = lab.kernel(kKernel, loop.defines());
  const LaunchShape shape{.ctas = ctas,
                          .threads = loop.warpgroups * kWarpgroup,
                          .shared_memory_bytes = loop.shared_bytes()};
  const auto run = [&](u32 instructions) {
    const std::size_t count = std::size_t{ctas} * static_cast<std::size_t>(loop.warpgroups);
    const std::vector<TimedSample> all = lab.run(
        kernel, shape, count, instructions / static_cast<u32>(loop.group), static_cast<u32>(data));
    TimedSample longest = all.front();  // warpgroups and CTAs side by side: the last to end
    for (const TimedSample& one : all) {
      longest = one.cycles > longest.cycles ? one : longest;
    }
    return longest;
  };
  constexpr u32 kShort = 256, kLong = 2048;
  run(kLong);
  const std::vector<TimedSample> shorter = repeated(kRepeats, [&] { return run(kShort); });
  const std::vector<TimedSample> longer = repeated(kRepeats, [&] { return run(kLong); });
  return slope_point(longer, shorter);
}

void report(MicroLab& lab, const std::string& key, const WgmmaLoop& loop,
            const std::string& variant, u32 ctas = 1, OperandData data = kZeros) {
  lab.report(slope_of(lab, loop, ctas, data), "wgmma", key, variant, kKernel);
}

/// What `waited` takes beyond `intervals` times the interval, both measured.
void report_excess(MicroLab& lab, const std::string& key, MicroPoint waited, double per_report,
                   const MicroPoint& interval, double intervals, const std::string& variant) {
  const auto excess = [&](double value) {
    return value * per_report - interval.value.median * intervals;
  };
  MicroPoint point = waited;
  point.value = {excess(waited.value.median), excess(waited.value.q1), excess(waited.value.q3)};
  const double ns_per_cycle = 1e3 / waited.clock_mhz;
  point.in_time = {point.value.median * ns_per_cycle, point.value.q1 * ns_per_cycle,
                   point.value.q3 * ns_per_cycle};
  lab.report(point, "wgmma", key, variant, kKernel);
}

/// What a warpgroup spends on issuing one group into an empty pipe, and until it has run.
void issue(MicroLab& lab, i32 n, bool registers, i32 group) {
  constexpr u32 kRounds = 200;
  const WgmmaLoop loop{n, registers, group, 0, 1};
  LoadedKernel& kernel = lab.kernel("wgmma_issue", loop.defines());
  std::vector<TimedSample> issued, done;
  for (int i = 0; i < kRepeats; ++i) {
    const std::vector<TimedSample> all = lab.run(
        kernel, {.ctas = 1, .threads = kWarpgroup, .shared_memory_bytes = loop.shared_bytes()}, 3,
        kRounds, static_cast<u32>(kZeros));
    for (const auto& [from, to] : {std::pair{&all[0], &issued}, {&all[1], &done}}) {
      to->push_back(*from);
      to->back().cycles -= std::min(all[2].cycles, from->cycles);
    }
  }
  const std::string variant = fmt::format("{} instructions={}", loop.variant(), group);
  lab.report(latency_point(issued), "wgmma", "wgmma.issue", variant, "wgmma_issue");
  lab.report(latency_point(done), "wgmma", "wgmma.issue_to_done", variant, "wgmma_issue");
}

}  // namespace

void measure_wgmma(MicroLab& lab) {
  for (const bool registers : {false, true}) {
    for (const i32 n : kInstructionNs) {
      const WgmmaLoop loop{n, registers, 4, 1, 1};
      report(lab, "wgmma.interval", loop, loop.variant());
    }
  }
  const WgmmaLoop wide{256, false, 4, 1, 1};
  report(lab, "wgmma.interval", wide, "n=256 a=shared random", 1, kRandom);
  report(lab, "wgmma.interval", wide, "n=256 a=shared every SM", lab.sm_count());
  for (const i32 n : {64, 128}) {
    const WgmmaLoop loop{n, false, 4, 1, 1, 2};
    report(lab, "wgmma.interval", loop, loop.variant() + " two accumulators");
  }
  for (const bool registers : {false, true}) {
    for (const i32 n : {8, 64, 128, 256}) {
      const WgmmaLoop single{n, registers, 1, 0, 1};
      const MicroPoint& interval = lab.point("wgmma.interval", single.variant());
      report_excess(lab, "wgmma.completion_latency", slope_of(lab, single, 1, kZeros), 1, interval,
                    1, single.variant());
      const WgmmaLoop block{n, registers, 4, 0, 1};
      report_excess(lab, "wgmma.drain_bubble", slope_of(lab, block, 1, kZeros), 4, interval, 4,
                    block.variant());
    }
  }
  for (const i32 warpgroups : {2, 3}) {
    for (const i32 n : {64, 128, 256}) {
      for (const i32 pending : {1, 0}) {
        const WgmmaLoop loop{n, false, 4, pending, warpgroups};
        // One instruction of each warpgroup together: an interval each where the pipe is full.
        report(lab, "wgmma.shared_pipe", loop,
               fmt::format("{} warpgroups={} pending={}", loop.variant(), warpgroups, pending));
      }
    }
  }
  for (const i32 n : {8, 64, 128, 256}) {
    for (const i32 group : {1, 2, 4, 8, 16, 32}) {
      issue(lab, n, false, group);
    }
    issue(lab, n, true, 4);
  }
}

}  // namespace tilecast
