#include "validate/measure/stream_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "kernels/jit/stream_launch.h"
#include "model/base/error.h"
#include "model/base/math.h"
#include "model/stream/stream_config_text.h"
#include "validate/measure/timing/launch_times.h"

namespace tilecast {
namespace {

constexpr std::size_t kAlignment = 1024;  // of every matrix; what frameworks' allocators give
constexpr std::size_t kGuardBytes = 256 << 10;
constexpr std::size_t kWordBytes = 4;
constexpr i32 kCheckThreads = 256;
constexpr i32 kCheckCtasPerSm = 8;

/// What the check counts, in the order of the kernel's argument.
struct Found {
  u64 wrong_words;
  OutputCheck guards;
};

std::size_t bytes_of(const StreamProblem& problem) {
  return static_cast<std::size_t>(problem.rows * problem.columns * element_bytes(problem.dtype));
}

LoadedKernel load_check(CubinCache& cache) {
  return {cache.get(stream_check_source()).cubin, "tilecast_check_stream"};
}

}  // namespace

KernelSource stream_check_source() {
  return {.path = "kernels/verify/check_stream.cu", .defines = {}};
}

StreamPoints::StreamPoints(CubinCache& cache, const MicroKernels& kernels, ActivityTimer& activity,
                           const Stream& stream, Bytes l2, i32 sm_count)
    : cache_(cache),
      kernels_(kernels),
      activity_(activity),
      stream_(stream),
      l2_(l2),
      sm_count_(sm_count),
      check_(load_check(cache)),
      result_(sizeof(Found)) {}

void StreamPoints::prepare(const StreamProblem& problem, Inputs inputs) {
  if (prepared_ == inputs && problem_ == problem) {
    return;
  }
  prepared_.reset();
  problem_ = problem;
  matrix_bytes_ = round_up(bytes_of(problem), kAlignment);
  const std::size_t set_bytes =
      matrix_bytes_ * static_cast<std::size_t>(input_count(problem.op) + 1);
  sets_ = buffer_sets(set_bytes, l2_);
  stream_.synchronize();  // the memory may move
  memory_.reserve(sets_.count * set_bytes);
  output_.reserve(2 * kGuardBytes + round_up(bytes_of(problem), kWordBytes));
  // One fill for all. fp32 is filled as pairs of bf16: the upper one is the number, the lower one
  // the end of its mantissa.
  const ElementType fill = problem.dtype == ElementType::kFp32 ? ElementType::kBf16 : problem.dtype;
  kernels_.fill(memory_.as<void>(), sets_.count * set_bytes / sizeof(short), fill, inputs, 1,
                stream_.get());
  prepared_ = inputs;
}

StreamPoints::Set StreamPoints::set(std::size_t index) const {
  const std::size_t matrices = static_cast<std::size_t>(input_count(problem_.op) + 1);
  const std::size_t start = index * matrices * matrix_bytes_;
  return {memory_.as<void>(start), memory_.as<void>(start + matrix_bytes_ * (matrices - 2)),
          memory_.as<void>(start + matrix_bytes_ * (matrices - 1))};
}

bool StreamPoints::verify(Measurement& row, const std::function<void(void* c)>& enqueue) {
  const std::size_t bytes = bytes_of(problem_);
  const std::size_t behind = kGuardBytes + round_up(bytes, kWordBytes);
  TILECAST_CUDA(
      cudaMemsetAsync(output_.as<void>(), kPoisonByte, behind + kGuardBytes, stream_.get()));
  TILECAST_CUDA(cudaMemsetAsync(result_.as<void>(), 0, sizeof(Found), stream_.get()));
  void* c = output_.as<void>(kGuardBytes);
  enqueue(c);
  TILECAST_CUDA(cudaGetLastError());

  const Set first = set(0);
  const void* a = first.a;
  const void* b = problem_.op == Op::kMemcpy ? nullptr : first.b;
  u64 checked = bytes;
  i32 type = static_cast<i32>(problem_.dtype);
  u64* wrong = &result_.as<Found>()->wrong_words;
  void* arguments[] = {&a, &b, &c, &checked, &type, &wrong};
  check_.launch({.ctas = static_cast<u32>(sm_count_ * kCheckCtasPerSm),
                 .threads = kCheckThreads,
                 .shared_memory_bytes = 0},
                arguments, stream_.get());
  OutputCheck* const guards = &result_.as<Found>()->guards;
  kernels_.check_guard(output_.as<void>(), kGuardBytes / kWordBytes, guards, stream_.get());
  kernels_.check_guard(output_.as<void>(behind), kGuardBytes / kWordBytes, guards, stream_.get());
  const Found found = copy_to_host(result_.as<Found>(), 1, stream_.get()).front();
  row.verified = found.wrong_words == 0 && found.guards.guard_changed == 0;
  if (!row.verified) {
    row.status = Status::kWrong;
    row.reason = fmt::format("{} words of the result are wrong, {} beside it were written",
                             found.wrong_words, found.guards.guard_changed);
  }
  return row.verified;
}

void StreamPoints::measure_kernel(Measurement& row, const Timing& time) {
  const StreamConfig config = parse_stream_config(row.point.config);
  const CompiledKernel compiled = cache_.get(stream_source(config, problem_.dtype));
  if (!compiled.usable()) {
    throw ConfigError(compiled.rejection);
  }
  LoadedKernel kernel(compiled.cubin, kStreamEntry);
  const StreamLaunch launch(kernel, problem_, config);
  row.registers = kernel.attributes().numRegs;
  row.shared_memory = Bytes{static_cast<double>(launch.shape().shared_memory_bytes)};
  row.ctas_per_sm = launch.resident_ctas_per_sm();
  row.ctas = launch.shape().ctas;

  const Set first = set(0);
  if (!verify(row,
              [&](void* c) { launch.launch(launch.bind(first.a, first.b, c), stream_.get()); })) {
    return;
  }
  std::vector<StreamArgs> args;
  for (std::size_t i = 0; i < sets_.count; ++i) {
    const Set own = set(i);
    args.push_back(launch.bind(own.a, own.b, own.c));
  }
  Workload workload{.enqueue = [&](std::size_t i) { launch.launch(args[i], stream_.get()); },
                    .sets = sets_.count,
                    .estimate = {}};
  time(row, workload);
  stream_.synchronize();  // the kernel is unloaded now
}

void StreamPoints::measure_runtime_copy(Measurement& row) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kRest = std::chrono::milliseconds(32);
  constexpr auto kLoad = std::chrono::milliseconds(250), kTimed = std::chrono::milliseconds(100);
  constexpr std::size_t kCopies = 15;
  if (row.point.l2_state != L2State::kRotating) {
    throw ConfigError("the runtime's copy is timed over rotating buffers only");
  }
  const std::size_t bytes = bytes_of(problem_);
  const auto copy = [&](void* c, const void* a) {
    TILECAST_CUDA(cudaMemcpyAsync(c, a, bytes, cudaMemcpyDeviceToDevice, stream_.get()));
  };
  if (!verify(row, [&](void* c) { copy(c, set(0).a); })) {
    return;
  }
  const bool sustained = row.point.regime == Regime::kSustained;
  const Clock::time_point start = Clock::now();
  std::vector<Seconds> times;
  for (std::size_t i = 0; sustained ? Clock::now() - start < kLoad + kTimed : i < kCopies; ++i) {
    if (!sustained) {
      std::this_thread::sleep_for(kRest);
    }
    activity_.take_copies(0);
    const bool timed = !sustained || Clock::now() - start > kLoad;
    const Set own = set(i % sets_.count);
    copy(own.c, own.a);
    stream_.synchronize();
    const KernelSpans copies = activity_.take_copies(1);
    if (timed && copies.spans.size() == 1) {
      times.push_back(seconds_between(copies.spans[0].start_ns, copies.spans[0].end_ns));
    }
  }
  if (times.size() < 3) {
    throw Error(ExitCode::kNoDevice, "CUPTI delivered no records of the runtime's copies");
  }
  row.time = distribution_of(std::move(times));
}

void StreamPoints::measure(Measurement& row, const Timing& time) {
  prepare(std::get<StreamProblem>(problem_of(row.point)), row.point.inputs);
  require_sets(sets_, row.point.l2_state);
  row.point.config == kRuntimeCopy ? measure_runtime_copy(row) : measure_kernel(row, time);
}

}  // namespace tilecast
