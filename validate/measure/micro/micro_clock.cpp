#include "validate/measure/micro/micro_clock.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "validate/measure/micro/micro_suite.h"

namespace tilecast {
namespace {

constexpr u64 kMillisecond = 1000000;
constexpr u64 kEvery = 5000;    // ns between readings
constexpr u64 kWindow = 25000;  // averaging window of a clock, in ns

/// Traces a load that follows a rest, and reports the clock over time in the rows of `variant`.
std::vector<ClockReading> rested_trace(MicroLab& lab, const WgmmaLoad& load,
                                       const std::string& variant) {
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  const std::vector<ClockReading> trace = trace_clock(lab, load, kEvery);
  for (const double ms :
       {0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 35.0, 60.0, 100.0, 190.0}) {
    const u64 at = static_cast<u64>(ms * static_cast<double>(kMillisecond));
    if (at < load.length - kEvery) {
      const u64 width = ms < 1 ? kWindow : 20 * kWindow;
      lab.report_number("clock.trace", fmt::format("{} ms={}", variant, ms), "clock_trace", "GHz",
                        {clock_at(trace, at, width)});
    }
  }
  return trace;
}

/// Nanoseconds after `from` at which the clock first satisfies `wanted`; the length of the trace if
/// it never does.
template <class Wanted>
double time_until(const std::vector<ClockReading>& trace, u64 from, const Wanted& wanted) {
  const u64 length = trace.back().nanoseconds - trace.front().nanoseconds;
  u64 at = from + kWindow;
  while (at < length && !wanted(clock_at(trace, at, kWindow))) {
    at += kEvery;
  }
  return static_cast<double>(at - from);
}

void report(MicroLab& lab, const std::string& key, const std::string& unit, double value) {
  lab.report_number(key, "", "clock_trace", unit, {value});
}

/// Derives the behaviour of the three limiters from the traces.
void limiters(MicroLab& lab, const std::vector<ClockReading>& idle,
              const std::vector<ClockReading>& zeros, const std::vector<ClockReading>& random,
              const std::vector<ClockReading>& pulses, u64 pulse) {
  constexpr double kNear = 0.005, kGivenWay = 0.02;  // fractions of a clock
  constexpr u64 kSettled = 10 * kMillisecond, kWide = 500000, kEnd = 190 * kMillisecond;
  const double most = clock_at(idle, 5 * kMillisecond, kWide);
  const double level = clock_at(random, kSettled, kWide);
  report(lab, "clock.max", "GHz", most);
  report(lab, "clock.tensor_plateau", "GHz", clock_at(zeros, kSettled, kWide));
  report(lab, "clock.fast_limiter_level", "GHz", level);
  report(lab, "clock.fast_limiter_attack", "ns",
         time_until(random, 0, [&](double clock) { return clock <= level * (1 + kNear); }));
  report(lab, "clock.fast_limiter_release", "ns",
         time_until(pulses, pulse, [&](double clock) { return clock >= most * (1 - kNear); }));
  report(lab, "clock.cap_onset", "ns", time_until(random, kSettled, [&](double clock) {
                                         return clock <= level * (1 - kGivenWay);
                                       }) + static_cast<double>(kSettled));
  report(lab, "clock.cap_level", "GHz", clock_at(random, kEnd, kWide));
}

}  // namespace

std::vector<ClockReading> trace_clock(MicroLab& lab, const WgmmaLoad& load, u64 every) {
  const WgmmaLoop loop{256, false, 4, 1};
  LoadedKernel& kernel = lab.kernel("clock_trace", loop.constants());
  kernel.allow_shared_memory(loop.shared_bytes());
  u32 readings = static_cast<u32>(load.length / every), groups = 8;
  const DeviceMemory memory(readings * sizeof(ClockReading));
  u64 length = load.length, busy = load.busy, period = load.period;
  u32 sms = load.sms, data = static_cast<u32>(load.data);
  ClockReading* trace = memory.as<ClockReading>();
  void* arguments[] = {&length, &busy, &period, &sms, &data, &every, &readings, &groups, &trace};
  kernel.launch(
      {.ctas = lab.sm_count(), .threads = 128, .shared_memory_bytes = loop.shared_bytes()},
      arguments, lab.stream().get());
  return copy_to_host(trace, readings, lab.stream().get());
}

double clock_at(const std::vector<ClockReading>& trace, u64 at, u64 width) {
  const auto place = [&](u64 ns) {
    const auto later = std::ranges::lower_bound(trace, trace.front().nanoseconds + ns, {},
                                                &ClockReading::nanoseconds);
    return later == trace.end() ? trace.back() : *later;
  };
  const ClockReading from = place(at > width ? at - width : 0), to = place(at);
  return static_cast<double>(to.cycles - from.cycles) /
         static_cast<double>(std::max<u64>(1, to.nanoseconds - from.nanoseconds));
}

void measure_clock(MicroLab& lab) {
  const u32 sms = lab.sm_count();
  constexpr u64 kPeriod = 20000, kLong = 200 * kMillisecond;
  constexpr OperandData kRandom = OperandData::kRandomBits, kZeros = OperandData::kZeros;
  const auto idle = rested_trace(lab, {6 * kMillisecond, 0, kPeriod, 0, kZeros}, "idle");
  const auto zeros =
      rested_trace(lab, {kLong, kPeriod, kPeriod, sms, kZeros}, "zeros sms=all duty=100");
  const auto random =
      rested_trace(lab, {kLong, kPeriod, kPeriod, sms, kRandom}, "random sms=all duty=100");
  // Work takes half a millisecond in every two: attack and release of the fast limiter.
  constexpr u64 kPulse = kMillisecond / 2;
  const auto pulses = rested_trace(lab, {6 * kMillisecond, kPulse, 2 * kMillisecond, sms, kRandom},
                                   "random sms=all 0.5 ms of 2 ms");
  limiters(lab, idle, zeros, random, pulses, kPulse);
}

}  // namespace tilecast
