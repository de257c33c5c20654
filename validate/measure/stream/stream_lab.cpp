#include "validate/measure/stream/stream_lab.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include "kernels/jit/stream_launch.h"
#include "model/base/error.h"
#include "model/base/math.h"
#include "model/base/refuse.h"
#include "model/stream/stream_config_text.h"
#include "validate/measure/kernel_contender.h"
#include "validate/measure/timing/launch_times.h"

namespace tilecast {
namespace {

constexpr std::size_t kAlignment = 1024;  // alignment of every matrix, as in frameworks' allocators
constexpr i32 kCheckThreads = 256;
constexpr i32 kCheckCtasPerSm = 8;

/// Counts of the check, in the order of the kernel's argument.
struct Found {
  u64 wrong_words;
  OutputCheck guards;
};

std::size_t bytes_of(const StreamProblem& problem) {
  return static_cast<std::size_t>(problem.rows * problem.columns * element_bytes(problem.dtype));
}

}  // namespace

class StreamLab::Kernel final : public KernelContender<StreamLaunch, StreamArgs> {
 public:
  Kernel(StreamLab& streams, const StreamConfig& config, Measurement& row)
      : KernelContender(streams.lab_, stream_source(config, streams.problem_.dtype), kStreamEntry,
                        streams.problem_, config, streams.sets_.count, row),
        streams_(streams) {}

  Verdict check() override {
    const Set first = streams_.set(0);
    return streams_.check(
        [&](void* c) { launch().launch(launch().bind(first.a, first.b, c), stream()); });
  }

 private:
  StreamArgs bind(std::size_t set) const override {
    const Set own = streams_.set(set);
    return launch().bind(own.a, own.b, own.c);
  }

  StreamLab& streams_;
};

class StreamLab::RuntimeCopy final : public Contender {
 public:
  explicit RuntimeCopy(StreamLab& streams) : streams_(streams) {}

  Verdict check() override {
    return streams_.check([this](void* c) { copy(c, streams_.set(0).a); });
  }

  Workload workload() override {
    return {.enqueue =
                [this](std::size_t i) {
                  const Set own = streams_.set(i);
                  copy(own.c, own.a);
                },
            .sets = streams_.sets_.count,
            .estimate = {}};
  }

  void time(Measurement& row, const Timing&) override {
    using Clock = std::chrono::steady_clock;
    constexpr auto kRest = std::chrono::milliseconds(32);
    constexpr auto kLoad = std::chrono::milliseconds(250), kTimed = std::chrono::milliseconds(100);
    constexpr std::size_t kCopies = 15;
    const LabDevice& lab = streams_.lab_;
    const Workload copies = workload();
    const bool sustained = row.point.regime == Regime::kSustained;
    const Clock::time_point start = Clock::now();
    std::vector<Seconds> times;
    for (std::size_t i = 0; sustained ? Clock::now() - start < kLoad + kTimed : i < kCopies; ++i) {
      if (!sustained) {
        std::this_thread::sleep_for(kRest);
      }
      lab.activity.take_copies(0);
      const bool timed = !sustained || Clock::now() - start > kLoad;
      copies.enqueue(i % copies.sets);
      lab.stream.synchronize();
      const KernelSpans taken = lab.activity.take_copies(1);
      if (timed && taken.spans.size() == 1) {
        times.push_back(seconds_between(taken.spans[0].start_ns, taken.spans[0].end_ns));
      }
    }
    if (times.size() < 3) {
      throw Error(ExitCode::kNoDevice, "CUPTI delivered no records of the CUDA runtime's copies");
    }
    row.time = distribution_of(std::move(times));
  }

 private:
  void copy(void* c, const void* a) const {
    TILECAST_CUDA(cudaMemcpyAsync(c, a, bytes_of(streams_.problem_), cudaMemcpyDeviceToDevice,
                                  streams_.lab_.stream.get()));
  }

  StreamLab& streams_;
};

std::vector<KernelSource> StreamLab::check_sources() {
  return {{.path = "kernels/verify/check_stream.cu"}};
}

std::vector<KernelSource> StreamLab::kernel_sources(const StreamProblem& problem,
                                                    const StreamConfig& config) {
  return {stream_source(config, problem.dtype)};
}

StreamLab::StreamLab(const LabDevice& lab)
    : lab_(lab),
      check_(lab.cache.get(check_sources().front()).cubin, "tilecast_check_stream"),
      output_(lab.kernels, lab.stream),
      result_(sizeof(Found)) {}

void StreamLab::prepare(const AnyProblem& problem, Inputs inputs) {
  problem_ = std::get<StreamProblem>(problem);
  matrix_bytes_ = round_up(bytes_of(problem_), kAlignment);
  const std::size_t set_bytes =
      matrix_bytes_ * static_cast<std::size_t>(input_count(problem_.op) + 1);
  sets_ = buffer_sets(set_bytes, lab_.l2);
  lab_.stream.synchronize();  // reserve() may move the memory
  memory_.reserve(sets_.count * set_bytes);
  // One fill pattern serves all types: fp32 is filled as pairs of bf16, of which the upper one
  // determines the value and the lower one the low mantissa bits.
  const ElementType fill =
      problem_.dtype == ElementType::kFp32 ? ElementType::kBf16 : problem_.dtype;
  lab_.kernels.fill(memory_.as<void>(), sets_.count * set_bytes / sizeof(short), fill, inputs, 1,
                    lab_.stream.get());
}

StreamLab::Set StreamLab::set(std::size_t index) const {
  const std::size_t matrices = static_cast<std::size_t>(input_count(problem_.op) + 1);
  const std::size_t start = index * matrices * matrix_bytes_;
  return {memory_.as<void>(start), memory_.as<void>(start + matrix_bytes_ * (matrices - 2)),
          memory_.as<void>(start + matrix_bytes_ * (matrices - 1))};
}

Verdict StreamLab::check(const std::function<void(void* c)>& enqueue) {
  const cudaStream_t stream = lab_.stream.get();
  u64 bytes = bytes_of(problem_);
  void* c = output_.poison(bytes);
  TILECAST_CUDA(cudaMemsetAsync(result_.as<void>(), 0, sizeof(Found), stream));
  enqueue(c);
  TILECAST_CUDA(cudaGetLastError());

  const Set first = set(0);
  const void* a = first.a;
  const void* b = input_count(problem_.op) == 1 ? nullptr : first.b;
  i32 type = static_cast<i32>(problem_.dtype);
  u64* wrong = &result_.as<Found>()->wrong_words;
  void* arguments[] = {&a, &b, &c, &bytes, &type, &wrong};
  check_.launch({.ctas = static_cast<u32>(lab_.device.sm_count * kCheckCtasPerSm),
                 .threads = kCheckThreads,
                 .shared_memory_bytes = 0},
                arguments, stream);
  output_.check_guards(&result_.as<Found>()->guards);
  const Found found = copy_to_host(result_.as<Found>(), 1, stream).front();
  if (found.wrong_words == 0 && found.guards.guard_changed == 0) {
    return {};
  }
  return {.fault = fmt::format("{} words of the result are wrong, {} outside it were written",
                               found.wrong_words, found.guards.guard_changed)};
}

std::unique_ptr<Contender> StreamLab::contender(const std::string& config, Measurement& row) {
  if (config == kRuntimeCopy) {
    refuse_if(row.point.l2_state != L2State::kRotating,
              "cudart:memcpy_async can be measured only with --l2 rotating");
    return std::make_unique<RuntimeCopy>(*this);
  }
  return std::make_unique<Kernel>(*this, parse_stream_config(config), row);
}

}  // namespace tilecast
