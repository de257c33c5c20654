#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "validate/measure/micro/micro_load.h"
#include "validate/measure/micro/micro_suite.h"

namespace tilecast {
namespace {

constexpr u64 kMillisecond = 1000000;
constexpr u64 kEvery = 5000;    // between readings, ns
constexpr u64 kWindow = 25000;  // that a clock is the mean of, ns

std::vector<ClockReading> traced(MicroLab& lab, const WgmmaLoad& load) {
  std::this_thread::sleep_for(std::chrono::milliseconds(150));  // rest
  ClockTrace trace(lab, load, kEvery, ClockTrace::kOperands);
  trace.start();
  return trace.finish();
}

std::vector<ClockReading> trace_clock(MicroLab& lab, const WgmmaLoad& load,
                                      const std::string& variant) {
  const std::vector<ClockReading> trace = traced(lab, load);
  for (const double ms :
       {0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 35.0, 60.0, 100.0, 190.0}) {
    const u64 at = static_cast<u64>(ms * static_cast<double>(kMillisecond));
    if (at < load.length - kEvery) {
      const u64 width = ms < 1 ? kWindow : 20 * kWindow;
      lab.report_number("clock", "clock.trace", fmt::format("{} ms={}", variant, ms), "clock_trace",
                        "GHz", {clock_at(trace, at, width)});
    }
  }
  return trace;
}

/// Nanoseconds after `from` at which the clock first meets `wanted`; the length of the trace where
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
  lab.report_number("clock", key, "", "clock_trace", unit, {value});
}

/// What the three limiters do, read off the traces.
void limiters(MicroLab& lab, const std::vector<ClockReading>& idle,
              const std::vector<ClockReading>& zeros, const std::vector<ClockReading>& random,
              const std::vector<ClockReading>& pulses, u64 pulse) {
  constexpr double kNear = 0.005, kGivenWay = 0.02;  // shares of a clock
  constexpr u64 kSettled = 10 * kMillisecond, kWide = 500000, kEnd = 190 * kMillisecond;
  const double most = clock_at(idle, 5 * kMillisecond, kWide);
  const double level = clock_at(random, kSettled, kWide);
  report(lab, "clock.max", "GHz", most);
  report(lab, "clock.tensor_plateau", "GHz", clock_at(zeros, kSettled, kWide));
  report(lab, "clock.fast_limiter_level", "GHz", level);
  double lowest = most;
  for (u64 at = kWindow; at < kMillisecond; at += kEvery) {
    lowest = std::min(lowest, clock_at(random, at, kWindow));
  }
  const double attack =
      time_until(random, 0, [&](double clock) { return clock <= level * (1 + kNear); });
  const double lowest_at =
      time_until(random, 0, [&](double clock) { return clock <= lowest * (1 + kNear / 5); });
  report(lab, "clock.fast_limiter_attack", "ns", attack);
  report(lab, "clock.fast_limiter_lowest", "GHz", lowest);
  report(lab, "clock.fast_limiter_lowest_at", "ns", lowest_at);
  report(lab, "clock.fast_limiter_recovery", "ns",
         time_until(random, static_cast<u64>(lowest_at),
                    [&](double clock) { return clock >= level * (1 - kNear); }));
  report(lab, "clock.fast_limiter_release", "ns",
         time_until(pulses, pulse, [&](double clock) { return clock >= most * (1 - kNear); }));
  report(lab, "clock.cap_onset", "ns", time_until(random, kSettled, [&](double clock) {
                                         return clock <= level * (1 - kGivenWay);
                                       }) + static_cast<double>(kSettled));
  report(lab, "clock.cap_level", "GHz", clock_at(random, kEnd, kWide));
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
    ClockTrace load(lab, {8 * kMillisecond, 1000, 1000, busy, OperandData::kNormal}, 100000,
                    kWholeSm);
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
    return lab.run(chain, one, passes, memory, span, again ? 7u : seed, 1000u, passes)[passes - 1];
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
  constexpr OperandData kRandom = OperandData::kRandomBits;
  const auto share = [](int percent) { return kPeriod / 100 * static_cast<u64>(percent); };
  const auto idle =
      trace_clock(lab, {6 * kMillisecond, 0, kPeriod, 0, OperandData::kZeros}, "idle");
  const auto zeros =
      trace_clock(lab, {200 * kMillisecond, kPeriod, kPeriod, sms, OperandData::kZeros},
                  "zeros sms=all duty=100");
  const auto random = trace_clock(lab, {200 * kMillisecond, kPeriod, kPeriod, sms, kRandom},
                                  "random sms=all duty=100");
  trace_clock(lab, {40 * kMillisecond, kPeriod, kPeriod, sms / 4, kRandom},
              "random sms=quarter duty=100");
  trace_clock(lab, {40 * kMillisecond, kPeriod, kPeriod, sms / 2, kRandom},
              "random sms=half duty=100");
  for (const int duty : {75, 50, 25}) {
    trace_clock(lab, {40 * kMillisecond, share(duty), kPeriod, sms, kRandom},
                fmt::format("random sms=all duty={}", duty));
  }
  // Half a millisecond of work in every two: attack and release of the fast limiter.
  constexpr u64 kPulse = kMillisecond / 2;
  const auto pulses = trace_clock(lab, {6 * kMillisecond, kPulse, 2 * kMillisecond, sms, kRandom},
                                  "random sms=all 0.5 ms of 2 ms");
  limiters(lab, idle, zeros, random, pulses, kPulse);
  domains(lab);
}

}  // namespace tilecast
