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
  std::string group;    // of the suite, e.g. wgmma
  std::string key;      // the quantity, e.g. wgmma.interval
  std::string variant;  // under which conditions, e.g. "n=128 a=shared"
  std::string kernel;   // of kernels/micro, without .cu
  std::string unit;     // cycle, B/cycle, op/cycle, W, GHz, ...
  Quartiles value{};
  std::string time_unit;  // ns, B/ns, op/ns, or cycle for cycles counted in ns; empty: none
  Quartiles in_time{};
  int samples = 0;
  double clock_mhz = 0;  // of the SM over the samples; 0: not read
};

Quartiles scaled(const Quartiles& value, double factor, double less = 0);

/// `values` are not empty.
Quartiles quartiles_of(std::vector<double> values);

/// Cycles per unit of `amount`, and the nanoseconds they are at the clock of all samples together:
/// globaltimer moves in steps, which a single short sample would show.
MicroPoint latency_point(std::span<const TimedSample> samples);

/// Cycles that were read off, and the nanoseconds they are at the clock of the samples of `clock`.
MicroPoint cycles_point(std::vector<double> cycles, std::span<const TimedSample> clock);

/// Nanoseconds, and in the columns of the other clock the cycles that they are at `clock_ghz`.
MicroPoint nanoseconds_point(std::vector<double> nanoseconds, double clock_ghz);

/// `amount` per cycle and per nanosecond. `unit` is that of the amount: B or op.
MicroPoint rate_point(std::span<const TimedSample> samples, const std::string& unit);

/// Cycles per unit of amount between samples of long runs and of short ones, pair by pair: the
/// constant overhead of a run cancels.
MicroPoint slope_point(std::span<const TimedSample> longer, std::span<const TimedSample> shorter);

/// Without the cycles of `empty`, sample by sample, which time nothing.
std::vector<TimedSample> less(std::vector<TimedSample> samples, std::span<const TimedSample> empty);

/// One sample for many SMs that ran side by side: their amounts together, the longest of them.
/// Those that did nothing are left out.
TimedSample joined(std::span<const TimedSample> sms);

/// The same constant found several times, in memory that lay elsewhere: the median of the medians,
/// between the lowest and the highest quartile. Not empty; key and variant are those of the first.
MicroPoint joined(std::span<const MicroPoint> passes);

/// Points of the same key and variant joined, in the order in which each was found first.
std::vector<MicroPoint> joined_passes(std::span<const MicroPoint> points);

/// SM cycles per nanosecond over all samples together.
double clock_ghz(std::span<const TimedSample> samples);

std::string micro_csv_header();
std::string micro_csv_line(const MicroPoint& point, const std::string& gpu);

}  // namespace tilecast
