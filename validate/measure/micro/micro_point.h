// Result of a micro-benchmark: a constant of the GPU with its spread, in SM cycles and in time.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/micro/timed_sample.h"

namespace tilecast {

struct Quartiles {
  double median, q1, q3;
};

struct MicroPoint {
  std::string group;    // group of the suite, e.g. wgmma
  std::string key;      // measured quantity, e.g. wgmma.interval
  std::string variant;  // conditions, e.g. "n=128 a=shared"
  std::string kernel;   // file in kernels/micro, without .cu
  std::string unit;     // cycle, B/cycle, op/cycle, W, GHz, ...
  Quartiles value{};
  std::string time_unit;  // ns, B/ns, op/ns, or cycle for cycles counted in ns; may be empty
  Quartiles in_time{};
  int samples = 0;
  double clock_mhz = 0;  // SM clock over the samples; 0 if not read
};

Quartiles scaled(const Quartiles& value, double factor, double less = 0);

/// `values` must not be empty.
Quartiles quartiles_of(std::vector<double> values);

/// Cycles per unit of `amount`, and the equivalent nanoseconds at the mean clock of all samples:
/// globaltimer advances in steps, which would distort a single short sample.
MicroPoint latency_point(std::span<const TimedSample> samples);

/// Reports the given cycles, and the equivalent nanoseconds at the clock of the `clock` samples.
MicroPoint cycles_point(std::vector<double> cycles, std::span<const TimedSample> clock);

/// Reports nanoseconds, and in the cycle columns the equivalent at `clock_ghz`.
MicroPoint nanoseconds_point(std::vector<double> nanoseconds, double clock_ghz);

/// `amount` per cycle and per nanosecond. `unit`: unit of the amount, B or op.
MicroPoint rate_point(std::span<const TimedSample> samples, const std::string& unit);

/// Cycles per unit of amount, from pairs of long and short runs, so that the constant overhead of a
/// run cancels.
MicroPoint slope_point(std::span<const TimedSample> longer, std::span<const TimedSample> shorter);

/// Subtracts the cycles of `empty`, whose kernels do no work, sample by sample.
std::vector<TimedSample> less(std::vector<TimedSample> samples, std::span<const TimedSample> empty);

/// One sample for many SMs that ran in parallel: the sum of their amounts, and the longest time.
/// SMs that did nothing are omitted.
TimedSample joined(std::span<const TimedSample> sms);

/// Joins a constant measured several times at different addresses: the median of the medians,
/// between the lowest and the highest quartile. `passes` must not be empty; key and variant are
/// taken from the first.
MicroPoint joined(std::span<const MicroPoint> passes);

/// Joins points of the same key and variant, in order of first appearance.
std::vector<MicroPoint> joined_passes(std::span<const MicroPoint> points);

/// SM cycles per nanosecond over all samples together.
double clock_ghz(std::span<const TimedSample> samples);

std::string micro_csv_header();
std::string micro_csv_line(const MicroPoint& point, const std::string& gpu);

}  // namespace tilecast
