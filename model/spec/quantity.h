// A hardware number as the GPU files write it:
//   {value: 4.8e12, unit: B/s, source: datasheet, ref: "H200 datasheet", confidence: high}
// with an optional standard_error in the same unit, which calibration adds.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/spec/strict_map.h"

namespace tilecast {

enum class Source {
  kDatasheet,  // the vendor's own statement
  kMeasured,   // on our card
  kPublished,  // somebody else's measurement or statement
  kDerived,    // arithmetic on other numbers, given in ref
  kFitted,     // least squares over measurements named in ref
  kAssumed,    // nothing better known
  kFictional,
};
enum class Confidence { kHigh, kMedium, kLow };

std::string_view to_text(Source source);
std::string_view to_text(Confidence confidence);

/// One number of a GPU file and where it comes from, as written there.
struct Constant {
  std::string key_path;
  double value;
  std::string unit;
  std::optional<double> standard_error;
  Source source;
  std::string ref;
  Confidence confidence;
};

/// What a key measures; fixes which units it may be written in.
enum class Dimension {
  kCount,     // whole, unit 1
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

/// Reads one; `least` and `most` are in the basic unit.
ReadQuantity read_quantity(const StrictValue& value, Dimension dimension, double least,
                           double most);

/// A value in the basic unit as it is written in another, which must be one that is read.
double in_unit(double basic, std::string_view unit);

}  // namespace tilecast
