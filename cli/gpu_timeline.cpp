// tilecast-gpu timeline: when each role of a kernel worked on each tile, as a trace for Perfetto
// and as CSV.

#include "cli/gpu_timeline.h"

#include <fmt/format.h>

#include <memory>

#include "cli/commands.h"
#include "cli/file_plan.h"
#include "model/base/chrome_trace.h"
#include "model/base/error.h"
#include "model/base/file.h"
#include "model/tile/kernel_config_text.h"
#include "validate/measure/timeline/timeline_bench.h"

namespace tilecast {
namespace {

constexpr double kMicrosecond = 1e6, kMegahertz = 1e-6, kNanoseconds = 1e9, kPercent = 100;
constexpr double kMostSlowdown = 0.02;  // of a timeline worth trusting

struct TimelineOptions {
  std::string shape, config, trace, csv, inputs = "normal", dtype = "fp16", layout = "tn";
};

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
  fmt::print(stderr,
             "{:<34} {:>10.2f} %  (quartiles {:.2f} and {:.2f} over {} blocks; {:.3f} us without, "
             "{:.3f} us with)\n",
             "slowdown by recording", cost.slowdown.median * kPercent, cost.slowdown.q1 * kPercent,
             cost.slowdown.q3 * kPercent, cost.blocks, us(cost.ordinary.median),
             us(cost.instrumented.median));
  if (cost.slowdown.median > kMostSlowdown) {
    fmt::print(stderr, "warning: recording slows this kernel by more than {:.0f} %\n",
               kMostSlowdown * kPercent);
  }
}

void run_timeline(const TimelineOptions& options) {
  FilePlan plan;
  plan.writes("--out", options.trace);
  plan.writes("--csv", options.csv);
  plan.check();
  write_timeline({parse_gemm_shape(options.shape), parse_element_type(options.dtype),
                  parse_layout(options.layout)},
                 parse_kernel_config(options.config), parse_inputs(options.inputs), options.trace,
                 options.csv);
}

}  // namespace

void write_timeline(const GemmProblem& problem, const KernelConfig& config, Inputs inputs,
                    const std::string& trace, const std::string& csv) {
  TimelineBench bench;
  const RecordedTimeline recorded = bench.record(problem, config, inputs);
  const std::vector<TileRecord>& records = recorded.timeline.records;
  if (!trace.empty()) {
    write_file(trace, chrome_trace(tile_spans(records, recorded.timeline.sm_clock)));
  }
  if (!csv.empty()) {
    write_file(csv, tile_timeline_csv(records));
  }
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

void add_timeline(Program& program) {
  const auto options = std::make_shared<TimelineOptions>();
  const Command command = program.command(
      "timeline", "When each role of a kernel worked on each tile, as the kernel writes it down");
  command.option("SHAPE", options->shape, "MxNxK").required();
  command.option("--config", options->config, "Configuration").required();
  command.option("--out", options->trace, "Chrome trace JSON to write: open it in Perfetto")
      .required();
  command.option("--csv", options->csv, "CSV of the records to write");
  command.option("--inputs", options->inputs, "normal, uniform, ternary or zeros");
  command.option("--dtype", options->dtype, "fp16 or bf16");
  command.option("--layout", options->layout,
                 "tt, tn: B is [N,K]; nt, nn: B is [K,N]; nt, tt: A is [K,M]");
  command.runs([options] { run_timeline(*options); });
}

}  // namespace tilecast
