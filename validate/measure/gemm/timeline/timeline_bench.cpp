#include "validate/measure/gemm/timeline/timeline_bench.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>
#include <utility>

#include "kernels/jit/gemm_kernel.h"
#include "kernels/jit/timeline_kernel.h"
#include "kernels/registry.h"
#include "model/base/error.h"
#include "model/gemm/problem/operand_copies.h"
#include "validate/measure/gemm/timeline/tile_trace.h"
#include "validate/measure/timing/launch_times.h"

namespace tilecast {
namespace {

constexpr auto kRest = std::chrono::milliseconds(32);
constexpr Seconds kBlockLength{7e-3}, kWarmUpLength{1e-3};
constexpr std::size_t kBlocks = 15;
constexpr std::size_t kTurn = 4;  // launches: ordinary, instrumented, instrumented, ordinary
constexpr double kMostLaunches = 400;
constexpr int kUnwritten = 0xff;  // value of every byte
constexpr u64 kSeed = 1;

/// Whether partial sums are added in any order, so that one kernel gives different bits from run to
/// run.
bool sums_in_any_order(const KernelConfig& config) {
  return splits_k(config.schedule) && config.decomposition.reduction == Reduction::kAtomic;
}

LoadedKernel load(CubinCache& cache, const KernelSource& source) {
  const CompiledKernel compiled = cache.get(source);
  if (!compiled.usable()) {
    throw ConfigError(compiled.rejection);
  }
  return {compiled.cubin, kGemmEntry};
}

std::size_t launches_in(Seconds length, Seconds one) {
  return static_cast<std::size_t>(
      std::clamp(std::ceil(length / one), static_cast<double>(kTurn), kMostLaunches));
}

}  // namespace

/// Both builds of the kernel, bound to every set of operands.
struct TimelineBench::Builds {
  Builds(LoadedKernel ordinary, LoadedKernel instrumented, const GemmProblem& of_problem,
         const KernelConfig& of_config)
      : problem(of_problem),
        config(of_config),
        kernels{std::move(ordinary), std::move(instrumented)},
        launches{{kernels[0], problem, config}, {kernels[1], problem, config}} {
    if (launches[0].resident_workers() != launches[1].resident_workers()) {
      throw ConfigError("the instrumented kernel's occupancy differs from the ordinary kernel's");
    }
  }

  Builds(const Builds&) = delete;  // the launches point to the kernels
  Builds& operator=(const Builds&) = delete;

  const GemmLaunch& instrumented() const { return launches[1]; }
  void enqueue(bool instrumented, std::size_t index, cudaStream_t stream) const {
    launches[instrumented ? 1 : 0].launch(args[index % args.size()], stream);
  }

  GemmProblem problem;
  KernelConfig config;
  LoadedKernel kernels[2];
  GemmLaunch launches[2];
  std::vector<GemmArgs> args;  // arguments of both builds
  Seconds estimate{};          // estimated time of one launch
};

TimelineBench::TimelineBench()
    : device_(require_hopper()),
      facts_(device_facts(device_)),
      kernels_(cache_, device_.sm_count, stream_.get()),
      operands_(kernels_, stream_, facts_.l2),
      different_(sizeof(u64)) {}

TimelineBench::~TimelineBench() = default;

std::unique_ptr<TimelineBench::Builds> TimelineBench::prepare(const GemmProblem& problem,
                                                              const KernelConfig& config,
                                                              Inputs inputs) {
  if (problem.batch.products > 1) {
    throw ConfigError("timelines do not support batches");
  }
  if (problem.groups != nullptr) {
    throw ConfigError("timelines do not support groups");
  }
  if (copied_operands(problem).any() || problem.leading.c != 0) {
    throw ConfigError("timelines require aligned operands and contiguous C");
  }
  const auto build = [&](Build of) {
    return load(cache_, gemm_source(config, ProblemKind::of(problem), SumScale::kNone, of));
  };
  auto builds =
      std::make_unique<Builds>(build(Build::kOrdinary), build(Build::kTimeline), problem, config);
  operands_.prepare(problem, inputs, kSeed);
  for (std::size_t i = 0; i < operands_.sets().count; ++i) {
    builds->args.push_back(builds->instrumented().bind(operands_.set(i)));
  }
  const std::size_t ctas = builds->instrumented().shape().ctas;
  const u32 tiles_per_cta = builds->instrumented().max_tiles_per_cta();
  const std::size_t roles = static_cast<std::size_t>(
      threads_per_cta(config.schedule, config.tiling) / kThreadsPerWarpgroup);
  cta_stamps_ = DeviceMemory(ctas * sizeof(TimelineCta));
  tile_stamps_ = DeviceMemory(ctas * tiles_per_cta * roles * sizeof(TileStamps));
  clock_readings_ = DeviceMemory(ctas * (tiles_per_cta + 1) * roles * sizeof(TimelineReading));
  set_timeline_buffers(builds->kernels[1], {.ctas = cta_stamps_.as<TimelineCta>(),
                                            .tiles = tile_stamps_.as<TileStamps>(),
                                            .readings = clock_readings_.as<TimelineReading>(),
                                            .tiles_per_cta = tiles_per_cta});
  // Loads both builds, then records one launch for inspection.
  for (const bool instrumented : {true, false, false}) {
    builds->enqueue(instrumented, 0, stream_.get());
    stream_.synchronize();
  }
  const KernelSpans taken = activity_.take(3);
  if (taken.spans.empty()) {
    throw Error(ExitCode::kNoDevice, "CUPTI delivered no record of the kernel");
  }
  builds->estimate = seconds_between(taken.spans.back().start_ns, taken.spans.back().end_ns);
  return builds;
}

u64 TimelineBench::different_elements(const Builds& builds) {
  const auto [m, n, k] = builds.problem.shape;
  const u64 count = static_cast<u64>(m * n);
  other_c_.reserve(count * static_cast<u64>(element_bytes(builds.problem.dtype)));
  const GemmBuffers set = operands_.set(0);
  GemmBuffers other = set;
  other.c = other_c_.as<void>();
  builds.launches[0].launch(builds.launches[0].bind(set), stream_.get());
  builds.launches[1].launch(builds.launches[1].bind(other), stream_.get());
  TILECAST_CUDA(cudaMemsetAsync(different_.as<void>(), 0, sizeof(u64), stream_.get()));
  kernels_.check_same(other.c, set.c, count, different_.as<u64>(), stream_.get());
  return copy_to_host(different_.as<u64>(), 1, stream_.get())[0];
}

RecordedTimeline TimelineBench::record(const GemmProblem& problem, const KernelConfig& config,
                                       Inputs inputs) {
  const std::unique_ptr<Builds> prepared = prepare(problem, config, inputs);
  const Builds& builds = *prepared;
  std::optional<u64> different;
  if (!sums_in_any_order(config)) {
    different = different_elements(builds);
  }
  for (const DeviceMemory* stamps : {&cta_stamps_, &tile_stamps_, &clock_readings_}) {
    TILECAST_CUDA(cudaMemsetAsync(stamps->as<void>(), kUnwritten, stamps->bytes(), stream_.get()));
  }
  stream_.synchronize();
  activity_.take(0);
  std::this_thread::sleep_for(kRest);
  const std::size_t warm_up = launches_in(kWarmUpLength, builds.estimate);
  for (std::size_t i = 0; i <= warm_up; ++i) {
    builds.enqueue(i == warm_up, i, stream_.get());
  }
  stream_.synchronize();
  const KernelSpans taken = activity_.take(warm_up + 1);
  if (taken.spans.size() != warm_up + 1) {
    throw Error(ExitCode::kNoDevice, "CUPTI did not deliver a record of every launch");
  }

  const GemmLaunch& launch = builds.instrumented();
  const u32 stride = launch.max_tiles_per_cta();
  const auto written = [&]<class T>(const DeviceMemory& memory, T) {
    return copy_to_host(memory.as<T>(), memory.bytes() / sizeof(T), stream_.get());
  };
  const TimelineStamps stamps{.ctas = written(cta_stamps_, TimelineCta{}),
                              .tiles = written(tile_stamps_, TileStamps{}),
                              .readings = written(clock_readings_, TimelineReading{}),
                              .tiles_per_cta = stride,
                              .k_blocks = launch.work().k_blocks,
                              .warpgroups = consumer_warpgroups(config.schedule, config.tiling),
                              .has_producer = has_producer_warpgroup(config.schedule)};
  RecordedTimeline recorded{
      .timeline = decode_timeline(stamps),
      .duration = seconds_between(taken.spans.back().start_ns, taken.spans.back().end_ns),
      .fault = {},
      .different_elements = different};
  recorded.fault = timeline_fault(recorded.timeline, config, expected_tile_trace(launch), stride,
                                  recorded.duration);
  return recorded;
}

TimelineCost TimelineBench::cost(const GemmProblem& problem, const KernelConfig& config,
                                 Inputs inputs) {
  const std::unique_ptr<Builds> builds = prepare(problem, config, inputs);
  const std::size_t launches = launches_in(kBlockLength, builds->estimate) / kTurn * kTurn;
  const auto is_instrumented = [](std::size_t i) { return i % kTurn == 1 || i % kTurn == 2; };
  std::vector<Seconds> times[2];
  for (std::size_t block = 0; block < kBlocks; ++block) {
    stream_.synchronize();
    activity_.take(0);
    std::this_thread::sleep_for(kRest);
    for (std::size_t i = 0; i < kTurn + launches; ++i) {  // the first round warms up
      builds->enqueue(is_instrumented(i), i, stream_.get());
    }
    stream_.synchronize();
    const KernelSpans taken = activity_.take(kTurn + launches);
    if (taken.spans.size() != kTurn + launches) {
      throw Error(ExitCode::kNoDevice, "CUPTI did not deliver a record of every launch");
    }
    for (std::size_t i = kTurn; i < taken.spans.size(); ++i) {
      times[is_instrumented(i) ? 1 : 0].push_back(
          seconds_between(taken.spans[i].start_ns, taken.spans[i].end_ns));
    }
  }
  return {distribution_of(times[0]).median, distribution_of(times[1]).median};
}

}  // namespace tilecast
