// Reads a hardware number as written in GPU files:
//   {value: 4.8e12, unit: B/s, source: datasheet, ref: "H200 datasheet", confidence: high}
// with an optional standard_error in the same unit, added by calibration.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/spec/strict_map.h"

namespace tilecast {

enum class Source {
  kDatasheet,  // stated by the vendor
  kMeasured,   // measured by tilecast
  kPublished,  // measured or stated by others
  kDerived,    // computed from other numbers, given in ref
  kFitted,     // least-squares fit to measurements named in ref
  kAssumed,    // no better value known
  kFictional,
};
enum class Confidence { kHigh, kMedium, kLow };

std::string_view to_text(Source source);
std::string_view to_text(Confidence confidence);

/// One number of a GPU file with its source, as written there.
struct Constant {
  std::string key_path;
  double value;
  std::string unit;
  std::optional<double> standard_error;
  Source source;
  std::string ref;
  Confidence confidence;
};

/// The dimension of a key's value, which determines its permitted units.
enum class Dimension {
  kCount,     // integer, unit 1
  kFraction,  // unit 1
  kBytes,
  kCycles,
  kTime,
  kFrequency,
  kBytesPerSecond,
  kBytesPerCycle,
  kFlopsPerCycle,
  kPower,
  kEnergyPerFlop,
  kEnergyPerByte,
};

/// A value in the dimension's basic unit (B, cycle, s, Hz, B/s, ..., J/B).
struct ReadQuantity {
  double value;
  Constant constant;
};

/// Reads a quantity; `least` and `most` are in the basic unit.
ReadQuantity read_quantity(const StrictValue& value, Dimension dimension, double least,
                           double most);

/// Converts a value from the basic unit to `unit`, which must be one of the dimension's.
double in_unit(double basic, std::string_view unit);

}  // namespace tilecast
