#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "model/base/error.h"
#include "validate/measure/micro_ring.h"
#include "validate/measure/micro_suite.h"

namespace tilecast {
namespace {

struct ClockReading {
  u64 cycles, nanoseconds;
};

constexpr i32 kOperands = 64 * 128 + 256 * 128;  // of m64n256, a K block of 64
constexpr u64 kMillisecond = 1000000;

Defines wgmma_defines() {
  return {"TILECAST_N=256",     "TILECAST_A_IN_REGISTERS=0", "TILECAST_GROUP=4",
          "TILECAST_PENDING=1", "TILECAST_WARPGROUPS=1",     "TILECAST_ACCUMULATORS=1"};
}

struct Load {
  u64 length, busy, period;  // ns
  u32 sms;
  bool random;
};

/// wgmmas on a stream of their own, and the SM clock meanwhile.
class ClockLoad {
 public:
  ClockLoad(MicroLab& lab, const Load& load, u64 every, i32 shared_bytes)
      : load_(load),
        kernel_(lab.kernel("clock_trace", wgmma_defines())),
        shape_{.ctas = lab.sm_count(), .threads = 128, .shared_memory_bytes = shared_bytes},
        every_(every),
        readings_(static_cast<u32>(load.length / every)),
        trace_(readings_ * sizeof(ClockReading)) {
    kernel_.allow_shared_memory(shared_bytes);
  }

  void start() {
    u32 random = load_.random ? 1 : 0;
    u32 groups = 8;
    ClockReading* trace = trace_.as<ClockReading>();
    void* arguments[] = {&load_.length, &load_.busy, &load_.period, &load_.sms, &random,
                         &every_,       &readings_,  &groups,       &trace};
    kernel_.launch(shape_, arguments, stream_.get());
  }
  std::vector<ClockReading> finish() {
    return copy_to_host(trace_.as<ClockReading>(), readings_, stream_.get());
  }

 private:
  Load load_;
  LoadedKernel& kernel_;
  LaunchShape shape_;
  u64 every_;
  u32 readings_;
  Stream stream_;
  DeviceMemory trace_;
};

/// SM cycles per nanosecond over `width` readings that end nearest to `at` ns after the first.
double clock_at(const std::vector<ClockReading>& trace, u64 at, u64 width_ns) {
  const auto place = [&](u64 ns) {
    const auto later = std::lower_bound(
        trace.begin(), trace.end(), trace.front().nanoseconds + ns,
        [](const ClockReading& reading, u64 wanted) { return reading.nanoseconds < wanted; });
    return later == trace.end() ? trace.back() : *later;
  };
  const ClockReading from = place(at > width_ns ? at - width_ns : 0), to = place(at);
  return static_cast<double>(to.cycles - from.cycles) /
         static_cast<double>(std::max<u64>(1, to.nanoseconds - from.nanoseconds));
}

void trace_clock(MicroLab& lab, const Load& load, const std::string& variant) {
  std::this_thread::sleep_for(std::chrono::milliseconds(150));  // rest
  constexpr u64 kEvery = 5000;
  ClockLoad clock(lab, load, kEvery, kOperands);
  clock.start();
  const std::vector<ClockReading> trace = clock.finish();
  for (const double ms :
       {0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 35.0, 60.0, 100.0, 190.0}) {
    const u64 at = static_cast<u64>(ms * static_cast<double>(kMillisecond));
    if (at < load.length - kEvery) {
      const u64 width = ms < 1 ? u64{25000} : u64{500000};
      lab.report_number("clock", "clock.trace", fmt::format("{} ms={}", variant, ms), "clock_trace",
                        "GHz", {clock_at(trace, at, width)});
    }
  }
}

/// A latency or rate of one SM with the others idle and with most of them at wgmmas, which lowers
/// the clock: what follows the clock keeps its cycles, what does not keeps its nanoseconds.
template <class Measure>
void follow(MicroLab& lab, const std::string& what, const std::string& kernel,
            const Measure& measure) {
  constexpr int kRepeats = 9;
  const auto point = [&](const std::vector<TimedSample>& samples) {
    return what.ends_with("rate") ? rate_point(samples, "B") : latency_point(samples);
  };
  measure();
  lab.report(point(repeated(kRepeats, measure)), "clock", "domain." + what, "others idle", kernel);
  std::vector<TimedSample> loaded;
  for (int i = 0; i < kRepeats; ++i) {
    const u32 busy = lab.sm_count() - 8;
    ClockLoad load(lab, {8 * kMillisecond, 1000, 1000, busy, true}, 100000, kWholeSm);
    load.start();
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    loaded.push_back(measure());
    load.finish();
  }
  lab.report(point(loaded), "clock", "domain." + what, "others at wgmmas", kernel);
}

void domains(MicroLab& lab) {
  const char* memory = lab.memory(std::size_t{8} << 30);
  const LaunchShape one{.ctas = 1, .threads = 32, .shared_memory_bytes = 16384};
  LoadedKernel& chain = lab.kernel("load_latency");
  u32 seed = 1000;
  const auto load = [&](u64 span, bool again) {
    const u32 passes = again ? 2 : 1;
    seed += again ? 0 : 1;
    return lab.run(chain, one, passes, reinterpret_cast<const u32*>(memory), span,
                   again ? 7u : seed, 1000u, passes)[passes - 1];
  };
  follow(lab, "l2_load_latency", "load_latency", [&] { return load(u64{1} << 20, true); });
  follow(lab, "dram_load_latency", "load_latency", [&] { return load(u64{4} << 30, false); });
  LoadedKernel& tma = lab.kernel("tma_latency");
  follow(lab, "tma_l2_latency", "tma_latency", [&] {
    return lab.run(tma, one, 1, memory, u64{1} << 20, u64{0}, u64{4224}, 8192u, 400u)[0];
  });
  follow(lab, "tma_l2_latency_16_bytes", "tma_latency", [&] {
    return lab.run(tma, one, 1, memory, u64{1} << 20, u64{0}, u64{4224}, 16u, 600u)[0];
  });
  LoadedKernel& shared = lab.kernel("shared_latency");
  follow(lab, "shared_load_latency", "shared_latency",
         [&] { return lab.run(shared, one, 1, 10000u)[0]; });
}

}  // namespace

void measure_clock(MicroLab& lab) {
  const u32 sms = lab.sm_count();
  constexpr u64 kPeriod = 20000;
  const auto share = [](int percent) { return kPeriod / 100 * static_cast<u64>(percent); };
  trace_clock(lab, {6 * kMillisecond, 0, kPeriod, 0, false}, "idle");
  trace_clock(lab, {200 * kMillisecond, kPeriod, kPeriod, sms, false}, "zeros sms=all duty=100");
  trace_clock(lab, {200 * kMillisecond, kPeriod, kPeriod, sms, true}, "random sms=all duty=100");
  trace_clock(lab, {40 * kMillisecond, kPeriod, kPeriod, sms / 4, true},
              "random sms=quarter duty=100");
  trace_clock(lab, {40 * kMillisecond, kPeriod, kPeriod, sms / 2, true},
              "random sms=half duty=100");
  for (const int duty : {75, 50, 25}) {
    trace_clock(lab, {40 * kMillisecond, share(duty), kPeriod, sms, true},
                fmt::format("random sms=all duty={}", duty));
  }
  // Half a millisecond of work in every two: attack and release of the fast limiter.
  trace_clock(lab, {6 * kMillisecond, kMillisecond / 2, 2 * kMillisecond, sms, true},
              "random sms=all 0.5 ms of 2 ms");
  domains(lab);
}

}  // namespace tilecast
