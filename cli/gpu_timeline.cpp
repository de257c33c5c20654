#include "cli/gpu_timeline.h"

#include <fmt/format.h>

#include "model/base/chrome_trace.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "validate/measure/gemm/timeline/timeline_bench.h"

namespace tilecast {
namespace {

constexpr double kMicrosecond = 1e6, kMegahertz = 1e-6, kNanoseconds = 1e9, kPercent = 100;
constexpr double kMostSlowdown = 0.02;  // of a timeline worth trusting

void print_summary(const RecordedTimeline& recorded, const TimelineCost& cost) {
  const Timeline& timeline = recorded.timeline;
  const TimelineSummary summary = summary_of(timeline);
  const auto us = [](Seconds time) { return time.value * kMicrosecond; };
  const auto line = [&](const char* what, Cycles cycles) {
    fmt::print(stderr, "{:<34} {:>10.0f} cycles {:>9.3f} us\n", what, cycles.value,
               us(time_of(cycles, timeline.sm_clock)));
  };
  fmt::print(stderr, "{:<34} {:>10.1f} MHz  (SMs {:.1f} to {:.1f}; placed within {:.0f} ns)\n",
             "SM clock", timeline.sm_clock.value * kMegahertz,
             timeline.slowest_sm.value * kMegahertz, timeline.fastest_sm.value * kMegahertz,
             timeline.clock_error.value * kNanoseconds);
  line("kernel by CUPTI", cycles_of(recorded.duration, timeline.sm_clock));
  line("start to first tile, median", summary.first_begin);
  line("spread of first tiles", summary.first_spread);
  line("tile, median", summary.tile);
  line("  waiting for its first K block", summary.load);
  line("  main loop", summary.multiply);
  if (summary.reduction) {
    line("  waiting for partial sums", summary.reduction->wait);
    line("  reducing them", summary.reduction->reduce);
  }
  line("  epilogue", summary.store);
  line("first SM without work", summary.first_end);
  line("last store", summary.end);
  fmt::print(stderr, "{:<34} {:>10.2f} %  ({:.3f} us without, {:.3f} us with)\n",
             "slowdown by recording", cost.slowdown() * kPercent, us(cost.ordinary),
             us(cost.instrumented));
  if (cost.slowdown() > kMostSlowdown) {
    fmt::print(stderr, "warning: recording slows this kernel by more than {:.0f} %\n",
               kMostSlowdown * kPercent);
  }
}

}  // namespace

void write_timeline(const GemmProblem& problem, const KernelConfig& config, Inputs inputs,
                    const std::string& path) {
  TimelineBench bench;
  const RecordedTimeline recorded = bench.record(problem, config, inputs);
  const std::vector<TileRecord>& records = recorded.timeline.records;
  write_file(path, path.ends_with(".csv")
                       ? tile_timeline_csv(records)
                       : chrome_trace(tile_spans(records, recorded.timeline.sm_clock)));
  print_summary(recorded, bench.cost(problem, config, inputs));
  if (!recorded.fault.empty()) {
    throw Error(ExitCode::kWrong, "timeline: " + recorded.fault);
  }
  if (recorded.different_elements.value_or(0) > 0) {
    throw Error(ExitCode::kWrong,
                fmt::format("timeline: {} elements of C differ between the two builds",
                            *recorded.different_elements));
  }
}

}  // namespace tilecast
