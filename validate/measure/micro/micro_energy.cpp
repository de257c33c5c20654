// Measures energy per operation. The driver's energy counter gives the power under one load at a
// time, launched without gaps (QueuedLoad); the rate of that load is measured in the same three
// windows. The power in excess of idle resident SMs, divided by the rate, is the load's energy per
// operation at its clock. A tensor load includes its shared-memory reads. micro_overlay.h converts
// it to another clock and separates mixed loads.
#include <array>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/micro/operand_data.h"
#include "model/base/error.h"
#include "validate/measure/micro/micro_ring.h"
#include "validate/measure/micro/micro_suite.h"
#include "validate/measure/timing/event.h"
#include "validate/measure/timing/power_meter.h"

namespace tilecast {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kSettle = std::chrono::milliseconds(300);
constexpr auto kWindow = std::chrono::milliseconds(500);
constexpr int kWindows = 3;

/// Launches a kernel repeatedly, always enqueuing the next launches before the last has ended, so
/// that the GPU stays busy while the host reads its power.
class QueuedLoad {
 public:
  /// Enqueues one launch of a millisecond or more that writes its samples to `samples`.
  using Enqueue = std::function<void(TimedSample* samples)>;

  /// `samples`: number of samples per launch. The stream must outlive this.
  QueuedLoad(const Stream& stream, std::size_t samples, Enqueue enqueue)
      : stream_(stream), samples_(samples), enqueue_(std::move(enqueue)) {
    for (Slot& slot : slots_) {
      slot.samples.reserve(samples * sizeof(TimedSample));
    }
  }
  /// Waits for the queued launches.
  ~QueuedLoad() { cudaStreamSynchronize(stream_.get()); }
  QueuedLoad(const QueuedLoad&) = delete;
  QueuedLoad& operator=(const QueuedLoad&) = delete;

  /// Results of one window of run().
  struct Window {
    Seconds length{0};  // from the end of the first launch to the end of the last
    TimedSample all{};  // sum of the launches

    double seconds() const { return static_cast<double>(all.nanoseconds) * 1e-9; }
  };
  /// Runs for about `length`, calling `meanwhile` whenever the queue is full. Throws Error if a
  /// launch wrote no sample.
  Window run(std::chrono::milliseconds length, const std::function<void()>& meanwhile) {
    Window window;
    for (const auto end = Clock::now() + length; Clock::now() < end;) {
      while (launched_ - taken_ < kDeep) {
        launch();
      }
      if (slot(taken_).ended.passed()) {
        take(window);
      } else {
        meanwhile();
      }
    }
    return window;
  }

 private:
  static constexpr std::size_t kDeep = 16;  // an NVML reading takes as long as several launches

  struct Slot {
    DeviceMemory samples;
    CudaEvent ended;
  };

  void launch() {
    Slot& next = slot(launched_++);
    TILECAST_CUDA(
        cudaMemsetAsync(next.samples.as<void>(), 0, samples_ * sizeof(TimedSample), stream_.get()));
    enqueue_(next.samples.as<TimedSample>());
    next.ended.record(stream_.get());
  }
  void take(Window& window) {
    // copy_to_host would wait for the whole queue.
    std::vector<TimedSample> samples(samples_);
    TILECAST_CUDA(cudaMemcpy(samples.data(), slot(taken_).samples.as<void>(),
                             samples_ * sizeof(TimedSample), cudaMemcpyDeviceToHost));
    const TimedSample all = joined(samples);
    if (all.valid != 1) {
      throw Error(ExitCode::kWrong, "a launch in the queue did not write its sample");
    }
    if (taken_ > 0) {
      window.length += slot(taken_).ended.since(slot(taken_ - 1).ended);
      window.all.add(all);
    }
    ++taken_;
  }
  Slot& slot(std::size_t launch) { return slots_[launch % slots_.size()]; }

  const Stream& stream_;
  std::size_t samples_;
  Enqueue enqueue_;
  // Slots of the queued launches, and of the launch that finished last.
  std::array<Slot, kDeep + 1> slots_;
  std::size_t launched_ = 0, taken_ = 0;
};

/// A load's results, one for each window in which power was read.
struct LoadResult {
  std::vector<double> watts, amount_per_second, clock_ghz, busy;
};

/// Enqueues one launch of some milliseconds on the lab's stream; its last parameter is the samples.
/// A kernel whose CTAs start together gets lab.counter(), which is zeroed before each launch.
template <class... Arguments>
QueuedLoad::Enqueue launches(MicroLab& lab, LoadedKernel& kernel, const LaunchShape& shape,
                             const Arguments&... arguments) {
  kernel.allow_shared_memory(shape.shared_memory_bytes);
  return [&lab, &kernel, shape, arguments...](TimedSample* samples) {
    lab.counter();
    void* pointers[] = {const_cast<void*>(static_cast<const void*>(&arguments))..., &samples};
    kernel.launch(shape, pointers, lab.stream().get());
  };
}

double watts_of(const PowerMeter& meter) {
  const std::optional<Watts> watts = meter.mean();
  if (!watts) {
    throw Error(ExitCode::kNoPermission, "the energy counter cannot be read");
  }
  return watts->value;
}

/// `factor` converts the amount of a sample to the unit of the load.
LoadResult hold(MicroLab& lab, const QueuedLoad::Enqueue& enqueue, double factor) {
  QueuedLoad load(lab.stream(), lab.sm_count(), enqueue);
  load.run(kSettle, [] {});
  LoadResult result;
  for (int i = 0; i < kWindows; ++i) {
    PowerMeter meter;
    const QueuedLoad::Window window =
        load.run(kWindow, [&] { meter.read(lab.nvml().energy(), Clock::now()); });
    result.watts.push_back(watts_of(meter));
    result.amount_per_second.push_back(static_cast<double>(window.all.amount) * factor /
                                       window.length.value);
    result.clock_ghz.push_back(clock_ghz({&window.all, 1}));
    result.busy.push_back(window.seconds() / window.length.value);
  }
  return result;
}

/// Runs loads one after the other, and subtracts the power of SMs that are awake and nearly idle.
class EnergyBench {
 public:
  explicit EnergyBench(MicroLab& lab) : lab_(lab) {}

  /// Measures the power of the GPU without load.
  void idle() {
    std::vector<double> watts;
    for (int window = 0; window < kWindows; ++window) {
      PowerMeter meter;
      for (const auto end = Clock::now() + kWindow; Clock::now() < end;) {
        meter.read(lab_.nvml().energy(), Clock::now());
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      watts.push_back(watts_of(meter));
    }
    lab_.report_number("power.load_watts", "idle", "none", "W", watts);
    lab_.report_number("power.static_power", "nothing runs", "none", "W", watts);
  }
  /// Measures all SMs awake in a loop of shared-memory loads by one thread each.
  void awake() {
    LoadedKernel& kernel = lab_.kernel("shared_latency");
    const LaunchShape shape{
        .ctas = lab_.sm_count(), .threads = 32, .shared_memory_bytes = kWholeSm};
    const LoadResult result =
        measure("SMs awake", "shared_latency", "op", launches(lab_, kernel, shape, 200000u), 1);
    awake_watts_ = median(result.watts);
    lab_.report_number("power.static_power", "SMs awake", "shared_latency", "W", result.watts);
  }
  /// `key`: key of the energy per unit of the load's work.
  void load(const std::string& key, const std::string& variant, const std::string& kernel,
            const std::string& unit, const QueuedLoad::Enqueue& enqueue, double factor = 1) {
    const LoadResult result = measure(variant, kernel, unit, enqueue, factor);
    constexpr double kPico = 1e12;
    std::vector<double> energies;
    for (std::size_t i = 0; i < result.watts.size(); ++i) {
      energies.push_back((result.watts[i] - awake_watts_) / result.amount_per_second[i] * kPico);
    }
    MicroPoint point;
    point.value = quartiles_of(energies);
    point.unit = "pJ/" + unit;
    point.samples = static_cast<int>(energies.size());
    point.clock_mhz = median(result.clock_ghz) * 1e3;
    lab_.report(point, key, variant, kernel);
  }

  MicroLab& lab() { return lab_; }

 private:
  static double median(std::vector<double> values) {
    return quartiles_of(std::move(values)).median;
  }

  LoadResult measure(const std::string& variant, const std::string& kernel, const std::string& unit,
                     const QueuedLoad::Enqueue& enqueue, double factor) {
    LoadResult result = hold(lab_, enqueue, factor);
    lab_.report_number("power.load_watts", variant, kernel, "W", result.watts);
    lab_.report_number("power.load_rate", variant, kernel, unit + "/s", result.amount_per_second);
    lab_.report_number("power.load_clock", variant, kernel, "GHz", result.clock_ghz);
    lab_.report_number("power.load_busy", variant, kernel, "1", result.busy);
    return result;
  }

  MicroLab& lab_;
  double awake_watts_ = 0;
};

void tensor(EnergyBench& bench, OperandData data, const std::string& name) {
  constexpr double kFlops = 2.0 * 64 * 256 * 16;  // FLOPs of m64n256k16
  LoadedKernel& kernel = bench.lab().kernel("wgmma_rate", WgmmaLoop{256, false, 4, 1}.constants());
  const LaunchShape shape{
      .ctas = bench.lab().sm_count(), .threads = 128, .shared_memory_bytes = kWholeSm};
  bench.load("power.per_flop_" + name, "tensor n=256 " + name, "wgmma_rate", "FLOP",
             launches(bench.lab(), kernel, shape, 20000u, static_cast<u32>(data)), kFlops);
}

void shared_memory(EnergyBench& bench) {
  constexpr i32 kThreads = 1024;
  LoadedKernel& kernel = bench.lab().kernel("shared_read");
  const LaunchShape shape{.ctas = bench.lab().sm_count(),
                          .threads = kThreads,
                          .shared_memory_bytes = kThreads * 16 * 8};
  bench.load("power.per_shared_memory_byte", "shared-memory reads", "shared_read", "B",
             launches(bench.lab(), kernel, shape, 10000u));
}

/// Runs bulk copies from L2, or through all of memory, with a ring on every SM.
void copies(EnergyBench& bench, bool from_dram) {
  constexpr u32 kBytes = 8192, kSlots = 16;
  MicroLab& lab = bench.lab();
  const u32 sms = lab.sm_count();
  const DeviceMemory tasks = tasks_on_device(
      [=](u32 smid) -> SmTask {
        const u32 works = smid < sms ? 1 : 0;
        return from_dram ? SmTask{works, 0, smid, sms} : SmTask{works, works * smid, 0, 1};
      },
      from_dram ? 1 : sms);
  const u64 region = from_dram ? u64{6} << 30 : u64{128} << 10;
  const char* memory = lab.memory(from_dram ? region : region * sms);
  LoadedKernel& kernel = lab.kernel("tma_ring");
  const LaunchShape shape{.ctas = sms, .threads = 32, .shared_memory_bytes = kWholeSm};
  bench.load(from_dram ? "power.per_dram_byte" : "power.per_l2_byte",
             from_dram ? "DRAM reads" : "L2 reads", "tma_ring", "B",
             launches(lab, kernel, shape, memory, region, kBytes, kSlots, 20000u,
                      static_cast<const SmTask*>(tasks.as<SmTask>()), lab.counter()));
}

}  // namespace

void measure_energy(MicroLab& lab) {
  EnergyBench bench(lab);
  bench.idle();
  bench.awake();
  tensor(bench, OperandData::kZeros, "zeros");
  tensor(bench, OperandData::kTernary, "ternary");
  tensor(bench, OperandData::kUniform, "uniform");
  tensor(bench, OperandData::kNormal, "normal");
  shared_memory(bench);
  copies(bench, false);
  copies(bench, true);
}

}  // namespace tilecast
