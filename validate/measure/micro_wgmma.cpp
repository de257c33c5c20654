#include <fmt/format.h>

#include "validate/measure/micro_suite.h"

namespace tilecast {
namespace {

constexpr int kRepeats = 15;
constexpr i32 kInstructionNs[] = {8, 16, 32, 64, 96, 128, 160, 192, 256};
constexpr i32 kWarpgroup = 128;
constexpr const char* kKernel = "wgmma_rate";

struct Loop {
  i32 n;
  bool registers;
  i32 group, pending, warpgroups, accumulators = 1;

  Defines defines() const {
    return {fmt::format("TILECAST_N={}", n),
            fmt::format("TILECAST_A_IN_REGISTERS={}", registers ? 1 : 0),
            fmt::format("TILECAST_GROUP={}", group),
            fmt::format("TILECAST_PENDING={}", pending),
            fmt::format("TILECAST_WARPGROUPS={}", warpgroups),
            fmt::format("TILECAST_ACCUMULATORS={}", accumulators)};
  }
  /// Both operands, of a K block of 64, in whole kilobytes.
  i32 shared_bytes() const { return 64 * 128 + (n * 128 + 1023) / 1024 * 1024; }
  std::string variant() const {
    return fmt::format("n={} a={}", n, registers ? "registers" : "shared");
  }
};

/// Cycles per instruction: the slope between two lengths, over the CTAs' first warpgroups.
MicroPoint slope_of(MicroLab& lab, const Loop& loop, u32 ctas, bool random) {
  LoadedKernel& kernel = lab.kernel(kKernel, loop.defines());
  const LaunchShape shape{.ctas = ctas,
                          .threads = loop.warpgroups * kWarpgroup,
                          .shared_memory_bytes = loop.shared_bytes()};
  const auto run = [&](u32 instructions) {
    const std::size_t count = std::size_t{ctas} * static_cast<std::size_t>(loop.warpgroups);
    const std::vector<TimedSample> all = lab.run(
        kernel, shape, count, instructions / static_cast<u32>(loop.group), random ? 1u : 0u);
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

void report(MicroLab& lab, const std::string& key, const Loop& loop, const std::string& variant,
            u32 ctas = 1, bool random = false) {
  lab.report(slope_of(lab, loop, ctas, random), "wgmma", key, variant, kKernel);
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

}  // namespace

void measure_wgmma(MicroLab& lab) {
  for (const bool registers : {false, true}) {
    for (const i32 n : kInstructionNs) {
      const Loop loop{n, registers, 4, 1, 1};
      report(lab, "wgmma.interval", loop, loop.variant());
    }
  }
  const Loop wide{256, false, 4, 1, 1};
  report(lab, "wgmma.interval", wide, "n=256 a=shared random", 1, true);
  report(lab, "wgmma.interval", wide, "n=256 a=shared every SM", lab.sm_count());
  for (const i32 n : {64, 128}) {
    const Loop loop{n, false, 4, 1, 1, 2};
    report(lab, "wgmma.interval", loop, loop.variant() + " two accumulators");
  }
  for (const bool registers : {false, true}) {
    for (const i32 n : {8, 64, 128, 256}) {
      const Loop single{n, registers, 1, 0, 1};
      const MicroPoint& interval = lab.point("wgmma.interval", single.variant());
      report_excess(lab, "wgmma.completion_latency", slope_of(lab, single, 1, false), 1, interval,
                    1, single.variant());
      const Loop block{n, registers, 4, 0, 1};
      report_excess(lab, "wgmma.drain_bubble", slope_of(lab, block, 1, false), 4, interval, 4,
                    block.variant());
    }
  }
  for (const i32 warpgroups : {2, 3}) {
    for (const i32 n : {64, 128, 256}) {
      for (const i32 pending : {1, 0}) {
        const Loop loop{n, false, 4, pending, warpgroups};
        // One instruction of each warpgroup together: an interval each where the pipe is full.
        report(lab, "wgmma.shared_pipe", loop,
               fmt::format("{} warpgroups={} pending={}", loop.variant(), warpgroups, pending));
      }
    }
  }
}

void measure_contention(MicroLab& lab) {
  constexpr u32 kFill = 8192;         // bytes of one bulk copy
  constexpr i32 kFillSlots = 4;       // of the kernel
  constexpr u32 kRegion = 64 * 1024;  // of L2, for each CTA
  constexpr u32 kCtas = 8;            // few, so that L2 is no limit
  constexpr u32 kGroups = 2000;
  char* const source = lab.memory(std::size_t{kCtas} * kRegion);
  for (const i32 warpgroups : {1, 2}) {
    for (const i32 n : {64, 128, 256}) {
      const Loop loop{n, false, 4, 1, warpgroups};
      LoadedKernel& kernel = lab.kernel("wgmma_contention", loop.defines());
      const LaunchShape shape{
          .ctas = kCtas,
          .threads = warpgroups * kWarpgroup + 32,
          .shared_memory_bytes = loop.shared_bytes() + kFillSlots * static_cast<i32>(kFill)};
      for (const u32 offered : {0u, 8u, 16u, 32u, 48u, 64u, 96u, 128u}) {  // B per cycle
        const u32 period = offered == 0 ? 0 : kFill / offered;
        std::vector<TimedSample> computing, filling;
        for (int i = 0; i < kRepeats / 2; ++i) {
          const std::size_t per_cta = static_cast<std::size_t>(warpgroups) + 1;
          const std::vector<TimedSample> all =
              lab.run(kernel, shape, kCtas * per_cta, kGroups, 1u, static_cast<const char*>(source),
                      kRegion, kFill, period);
          for (std::size_t cta = 0; cta < kCtas; ++cta) {
            computing.push_back(all[cta * per_cta]);
            filling.push_back(all[cta * per_cta + per_cta - 1]);
          }
        }
        const std::string variant =
            fmt::format("n={} warpgroups={} offered={}", n, warpgroups, offered);
        lab.report(latency_point(computing), "contention", "wgmma.interval_under_fill", variant,
                   "wgmma_contention");
        if (offered > 0) {
          lab.report(rate_point(filling, "B"), "contention", "wgmma.fill_under_wgmma", variant,
                     "wgmma_contention");
        }
      }
    }
  }
}

}  // namespace tilecast
