#include "validate/measure/stream_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "model/base/error.h"
#include "model/tile/kernel_config_text.h"
#include "model/tile/stream_config_text.h"
#include "validate/measure/launch_times.h"

namespace tilecast {
namespace {

constexpr i32 kCheckThreads = 256;
constexpr i32 kCheckCtasPerSm = 8;
constexpr double kPicosecond = 1e12, kMicrosecond = 1e6, kMegahertz = 1e-6;

LoadedKernel load_check(CubinCache& cache) {
  return {cache.get({.path = "kernels/stream/check_stream.cu", .defines = {}}).cubin,
          "tilecast_check_stream"};
}

/// Elapsed times of single calls between events, after a rest each: for what is not one kernel.
class EventTimer {
 public:
  EventTimer() {
    TILECAST_CUDA(cudaEventCreate(&begin_));
    TILECAST_CUDA(cudaEventCreate(&end_));
  }
  ~EventTimer() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }
  EventTimer(const EventTimer&) = delete;
  EventTimer& operator=(const EventTimer&) = delete;

  Seconds time(const std::function<void()>& enqueue, cudaStream_t stream) const {
    std::this_thread::sleep_for(std::chrono::milliseconds(32));
    TILECAST_CUDA(cudaEventRecord(begin_, stream));
    enqueue();
    TILECAST_CUDA(cudaEventRecord(end_, stream));
    TILECAST_CUDA(cudaEventSynchronize(end_));
    float milliseconds = 0;
    TILECAST_CUDA(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return Seconds{static_cast<double>(milliseconds) * 1e-3};
  }

 private:
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

std::size_t problem_bytes(const StreamProblem& problem) {
  return static_cast<std::size_t>(problem.rows * problem.columns * element_bytes(problem.dtype));
}

}  // namespace

std::string stream_csv_header() {
  return "gpu,op,m,n,dtype,config,regime,verified,time_us_median,time_us_q1,time_us_q3,samples,"
         "cycles,sm_clock_mhz,power_w,tb_per_s,registers,ctas_per_sm,status,reason\n";
}

std::string stream_csv_line(const StreamRow& row, const std::string& gpu, Regime regime) {
  const bool copy = row.config == kRuntimeCopy || row.config.starts_with("memcpy");
  const i64 elements = row.problem.rows * row.problem.columns;
  std::string line = fmt::format(
      "{},{},{},{},{},\"{}\",{},{},", gpu, copy ? "memcpy" : "elementwise_add",
      copy ? elements : row.problem.rows, copy ? "" : fmt::format("{}", row.problem.columns),
      to_text(row.problem.dtype), row.config, to_text(regime), row.status == "ok" ? 1 : 0);
  if (row.timed) {
    const TimedWorkload& timed = *row.timed;
    const auto us = [](Seconds time) { return fmt::format("{:.3f}", time.value * kMicrosecond); };
    const bool clock = timed.sm_clock.value > 0;
    line += fmt::format(
        "{},{},{},{},{},{},{},{:.4f},", us(timed.time.median), us(timed.time.q1), us(timed.time.q3),
        timed.time.samples,
        clock ? fmt::format("{:.0f}", cycles_of(timed.time.median, timed.sm_clock).value) : "",
        clock ? fmt::format("{:.1f}", timed.sm_clock.value * kMegahertz) : "",
        timed.power ? fmt::format("{:.1f}", timed.power->value) : "",
        row.bytes_per_second() / kPicosecond);
  } else {
    line += ",,,,,,,,";
  }
  return line + fmt::format("{},{},{},\"{}\"\n", row.registers, row.resident_ctas_per_sm,
                            row.status, row.reason);
}

StreamBench::StreamBench()
    : device_(require_hopper()),
      facts_(device_facts(device_)),
      nvml_(facts_.pci_bus_id),
      kernels_(cache_, device_.sm_count, stream_.get()),
      check_(load_check(cache_)),
      timer_(activity_, kernels_, nvml_, stream_),
      wrong_(sizeof(u64)) {}

void StreamBench::prepare(const StreamProblem& problem) {
  if (prepared_ == problem) {
    return;
  }
  prepared_.reset();
  const std::size_t bytes = problem_bytes(problem);
  for (DeviceMemory* memory : {&a_, &b_, &c_}) {
    memory->reserve(bytes);
  }
  // fp32 is filled as pairs of bf16: the upper one is normal(0, 1), the lower one its mantissa.
  const ElementType fill = problem.dtype == ElementType::kFp32 ? ElementType::kBf16 : problem.dtype;
  kernels_.fill(a_.as<void>(), bytes / 2, fill, Inputs::kNormal, 1, stream_.get());
  kernels_.fill(b_.as<void>(), bytes / 2, fill, Inputs::kNormal, 2, stream_.get());
  stream_.synchronize();
  prepared_ = problem;
}

u64 StreamBench::wrong_words(const StreamProblem& problem, bool copy,
                             const std::function<void()>& enqueue) {
  const std::size_t bytes = problem_bytes(problem);
  TILECAST_CUDA(cudaMemsetAsync(c_.as<void>(), kPoisonByte, bytes, stream_.get()));
  TILECAST_CUDA(cudaMemsetAsync(wrong_.as<void>(), 0, sizeof(u64), stream_.get()));
  enqueue();
  const void* a = a_.as<void>();
  const void* b = copy ? nullptr : b_.as<void>();
  const void* c = c_.as<void>();
  u64 words = bytes / sizeof(u32);
  i32 type = static_cast<i32>(problem.dtype);
  u64* wrong = wrong_.as<u64>();
  void* arguments[] = {&a, &b, &c, &words, &type, &wrong};
  check_.launch({.ctas = static_cast<u32>(device_.sm_count * kCheckCtasPerSm),
                 .threads = kCheckThreads,
                 .shared_memory_bytes = 0},
                arguments, stream_.get());
  return copy_to_host(wrong, 1, stream_.get())[0];
}

TimedWorkload StreamBench::time(const std::function<void()>& enqueue, Regime regime) {
  Workload workload{.enqueue = [&enqueue](std::size_t) { enqueue(); }, .sets = 1, .estimate = {}};
  timer_.look_at(workload);
  return timer_.time(workload, regime);
}

StreamRow StreamBench::measure(const std::string& text, const StreamProblem& problem,
                               Regime regime) {
  StreamRow row{.config = text, .problem = problem, .status = "ok"};
  prepare(problem);
  if (text == kRuntimeCopy) {
    constexpr int kRepeats = 15;
    const std::size_t bytes = problem_bytes(problem);
    const auto enqueue = [&] {
      TILECAST_CUDA(cudaMemcpyAsync(c_.as<void>(), a_.as<void>(), bytes, cudaMemcpyDeviceToDevice,
                                    stream_.get()));
    };
    const EventTimer timer;
    std::vector<Seconds> times;
    for (int i = 0; i < kRepeats; ++i) {
      times.push_back(timer.time(enqueue, stream_.get()));
    }
    row.bytes = 2 * static_cast<double>(bytes);
    row.timed = TimedWorkload{.time = distribution_of(times), .sm_clock = {}, .power = {}};
    return row;
  }
  try {
    const StreamConfig config = parse_stream_config(text);
    const CompiledKernel compiled = cache_.get(stream_source(config, problem.dtype));
    if (!compiled.usable()) {
      throw ConfigError(compiled.rejection);
    }
    LoadedKernel kernel(compiled.cubin, kStreamEntry);
    const StreamLaunch launch(kernel, problem, config);
    row.registers = compiled.report.registers;
    row.resident_ctas_per_sm = launch.resident_ctas_per_sm();
    row.bytes = stream_bytes(config, problem);
    const StreamArgs args = launch.bind(a_.as<void>(), b_.as<void>(), c_.as<void>());
    const auto enqueue = [&] { launch.launch(args, stream_.get()); };
    if (const u64 wrong = wrong_words(problem, is_memcpy(config.schedule), enqueue); wrong != 0) {
      row.status = "wrong";
      row.reason = fmt::format("{} words of the result are wrong", wrong);
      return row;
    }
    row.timed = time(enqueue, regime);
    stream_.synchronize();  // the kernel is unloaded now
  } catch (const ConfigError& error) {
    row.status = "skipped";
    row.reason = error.what();
  }
  return row;
}

}  // namespace tilecast
