#include "validate/measure/counters/range_profiler.h"

#include <fmt/format.h>

#include <cstdio>
#include <string>

#include "kernels/jit/gemm_launch.h"
#include "kernels/jit/stream_launch.h"
#include "model/spec/chip_counters.h"
#include "model/spec/load_gpu.h"
#include "model/stream/stream_config_text.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "tests/gpu.h"
#include "validate/measure/counters/counter_collector.h"
#include "validate/measure/counters/cupti_error.h"
#include "validate/measure/gemm/gpu_test_bench.h"
#include "validate/measure/timing/activity_timer.h"
#include "validate/measure/timing/launch_times.h"

namespace tilecast {
namespace {

struct Bench {
  GpuTestBench& gpu;
  RangeProfiler profiler;
  ChipCounters counters;
};

/// Returns null and prints the reason if this GPU provides no counters, so that the program's other
/// tests still run.
Bench* bench_with_counters() {
  GpuTestBench& gpu = GpuTestBench::get(gpu_or_skip());
  try {
    static Bench bench{gpu, {}, load_chip_counters(config_folder(), current_chip()).value()};
    return &bench;
  } catch (const CountersUnavailable& error) {
    std::printf("skipped: %s\n", error.what());
    CHECK(error.state != CountersState::kCollected);
    return nullptr;
  }
}

TEST_CASE("L2-to-SM bytes are those of whole tiles, a multicast counted once", "[gpu]") {
  Bench* const with_counters = bench_with_counters();
  if (with_counters == nullptr) {
    return;
  }
  Bench& bench = *with_counters;
  constexpr const char* kConfigs[] = {
      "bl 128x128x128 s1 w1x1 c1x1 o2 i0 e0 m8", "bp 128x128x64 s2 w1x1 c1x1 o2 i1 e0 m8",
      "pi 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m8",  "pe 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m8",
      "po 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8",  "ws 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m8",
      "ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8",  "ws 128x256x64 s4 w2x1 c1x2 o1 i1 e2 m8",
      "ws 128x128x64 s4 w2x1 c2x2 o1 i1 e2 m8",
  };
  const GemmProblem problem{{4096, 4096, 1024}, ElementType::kFp16, Layout::kTn};
  const double matrix = 4096.0 * 1024 * 2;  // A and B are 8 MiB each
  bench.gpu.prepare(problem, Inputs::kNormal);
  const MetricPlan plan(bench.profiler.chip(), bench.counters.core.metrics());
  for (const char* text : kConfigs) {
    const KernelConfig config = gemm_config(text);
    const Tiling& t = config.tiling;
    LoadedKernel kernel = bench.gpu.load(config);
    const GemmLaunch launch(kernel, problem, config);
    const GemmArgs args =
        launch.bind({bench.gpu.a.as<void>(), bench.gpu.b.as<void>(), bench.gpu.c.as<void>()});
    const auto enqueue = [&] { launch.launch(args, bench.gpu.stream.get()); };
    const CounterValues values = bench.profiler.collect(plan, enqueue, enqueue);
    // L2 sends each row of tiles of A once to each cluster along N, and each column of B once to
    // each cluster along M.
    const double expected = matrix * (4096.0 / (t.block_n * t.cluster_n)) +
                            matrix * (4096.0 / (t.block_m * t.cluster_m));
    const double counted = bench.counters.l2_to_sm_bytes(values).value().value;
    if (counted != expected) {
      std::printf("%s: %.0f, expected %.0f\n", text, counted, expected);
      for (const auto& [name, value] : values) {
        std::printf("  %s %.17g\n", name.c_str(), value);
      }
    }
    CHECK(counted == expected);
    CHECK(bench.counters.l2_hit_rate(values).value() > 0.5);
  }
}

TEST_CASE("A copy of 2 GiB reads and writes 2 GiB of DRAM, within 3 percent", "[gpu]") {
  Bench* const with_counters = bench_with_counters();
  if (with_counters == nullptr) {
    return;
  }
  Bench& bench = *with_counters;
  constexpr i64 kElements = i64{1} << 30;
  const StreamProblem problem{1, kElements, ElementType::kFp16, Op::kMemcpy};
  const StreamConfig config = parse_stream_config(
      "memcpy_cpasync:block=1x2048,warps=4,vector=16,ctas=8,layout=plain,order=blocks,hint=none");
  DeviceMemory from(2 * kElements), to(2 * kElements), other(2 * kElements);
  LoadedKernel kernel(bench.gpu.cache.get(stream_source(config, problem.dtype)).cubin,
                      kStreamEntry);
  const StreamLaunch launch(kernel, problem, config);
  const StreamArgs args = launch.bind(from.as<void>(), nullptr, to.as<void>());
  const StreamArgs before = launch.bind(from.as<void>(), nullptr, other.as<void>());
  const MetricPlan plan(bench.profiler.chip(), bench.counters.core.metrics());
  const CounterValues values = bench.profiler.collect(
      plan, [&] { launch.launch(before, bench.gpu.stream.get()); },
      [&] { launch.launch(args, bench.gpu.stream.get()); });
  const double bytes = 2.0 * kElements;
  const double read = bench.counters.dram_read_bytes(values)->value;
  const double written = bench.counters.dram_write_bytes(values)->value;
  std::printf("copy of %.0f B: read %.4f, written %.4f of it\n", bytes, read / bytes,
              written / bytes);
  CHECK(read == Approx(bytes).epsilon(0.03));
  CHECK(written == Approx(bytes).epsilon(0.03));
}

TEST_CASE("gpu__time_duration agrees with CUPTI Activity on a long kernel, before and after",
          "[gpu]") {
  Bench* const with_counters = bench_with_counters();
  if (with_counters == nullptr) {
    return;
  }
  Bench& bench = *with_counters;
  const GemmProblem problem{{4096, 4096, 4096}, ElementType::kFp16, Layout::kTn};
  bench.gpu.prepare(problem, Inputs::kZeros);  // zeros keep the clock steady
  const KernelConfig config = gemm_config("pe 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m8");
  LoadedKernel kernel = bench.gpu.load(config);
  const GemmLaunch launch(kernel, problem, config);
  const GemmArgs args =
      launch.bind({bench.gpu.a.as<void>(), bench.gpu.b.as<void>(), bench.gpu.c.as<void>()});
  const auto enqueue = [&] { launch.launch(args, bench.gpu.stream.get()); };
  ActivityTimer activity;
  constexpr std::size_t kLaunches = 20;
  const auto by_activity = [&] {
    activity.take(0);
    for (std::size_t i = 0; i < kLaunches; ++i) {
      enqueue();
    }
    bench.gpu.stream.synchronize();
    std::vector<Seconds> times;
    for (const KernelSpan& span : activity.take(kLaunches).spans) {
      times.push_back(seconds_between(span.start_ns, span.end_ns));
    }
    REQUIRE(times.size() == kLaunches);
    return distribution_of(times).median;
  };
  const Seconds before = by_activity();
  REQUIRE(before > Seconds{100e-6});
  const std::optional<Seconds> profiled = profiled_duration(enqueue);
  REQUIRE(profiled.has_value());
  const Seconds after = by_activity();
  std::printf("Activity %.2f us, gpu__time_duration %.2f us, Activity %.2f us\n",
              before.value * 1e6, profiled->value * 1e6, after.value * 1e6);
  CHECK(profiled->value == Approx(before.value).epsilon(0.02));
  CHECK(after.value == Approx(before.value).epsilon(0.02));

  // The range is longer than the launch. Cycles with a resident warp do not include the difference.
  const MetricPlan plan(bench.profiler.chip(),
                        {"gpu__time_duration.sum", "gpu__time_active.sum",
                         "sm__cycles_elapsed.avg.per_second", "sm__cycles_active.max"});
  for (const int launches : {1, 2, 5, 9}) {
    const auto several = [&] {
      for (int i = 0; i < launches; ++i) {
        enqueue();
      }
    };
    const CounterValues values = bench.profiler.collect(plan, enqueue, several);
    const double active = values.at("sm__cycles_active.max") /
                          values.at("sm__cycles_elapsed.avg.per_second") / launches;
    std::printf("range with %d: duration %.2f us, active %.2f us; SM active %.2f us a launch\n",
                launches, values.at("gpu__time_duration.sum") * 1e-3,
                values.at("gpu__time_active.sum") * 1e-3, active * 1e6);
    CHECK(active == Approx(before.value).epsilon(0.03));
  }
}

TEST_CASE("The chip's name, or a reason, is available before any other use of CUPTI") {
  std::string chip, reason;
  try {
    chip = current_chip();
  } catch (const CountersUnavailable& error) {  // no driver; CUPTI would crash if called
    reason = error.what();
  }
  CHECK((!chip.empty() || reason.starts_with("no hardware counters: ")));
}

TEST_CASE("A collector without counters marks the row and changes nothing else") {
  CounterCollector collector(CountersState::kNoPermission, "no hardware counters: not allowed");
  Measurement row;
  collector.collect(
      row, Workload{.enqueue = [](std::size_t) { CHECK(false); }, .sets = 3, .estimate = {}});
  CHECK(row.counters_state == CountersState::kNoPermission);
  CHECK(row.counters.empty());
  CHECK(collector.trouble() == "no hardware counters: not allowed");
}

}  // namespace
}  // namespace tilecast
