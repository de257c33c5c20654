#include "model/spec/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "model/base/error.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

constexpr Words<Source, 7> kSources{{{Source::kDatasheet, "datasheet"},
                                     {Source::kMeasured, "measured"},
                                     {Source::kPublished, "published"},
                                     {Source::kDerived, "derived"},
                                     {Source::kFitted, "fitted"},
                                     {Source::kAssumed, "assumed"},
                                     {Source::kFictional, "fictional"}}};
constexpr Words<Confidence, 3> kConfidences{
    {{Confidence::kHigh, "high"}, {Confidence::kMedium, "medium"}, {Confidence::kLow, "low"}}};

/// basic = written * factor / divisor. Both are exact as doubles, so 215 ns is exactly the double
/// 215e-9.
struct Unit {
  Dimension dimension;
  std::string_view name;
  double factor = 1, divisor = 1;
};

constexpr double kKibibyte = 1024;
constexpr std::array kUnits{
    Unit{Dimension::kCount, "1"},
    Unit{Dimension::kFraction, "1"},
    Unit{Dimension::kBytes, "B"},
    Unit{Dimension::kBytes, "KiB", kKibibyte},
    Unit{Dimension::kBytes, "MiB", kKibibyte* kKibibyte},
    Unit{Dimension::kBytes, "GiB", kKibibyte* kKibibyte* kKibibyte},
    Unit{Dimension::kCycles, "cycle"},
    Unit{Dimension::kTime, "s"},
    Unit{Dimension::kTime, "us", 1, 1e6},
    Unit{Dimension::kTime, "ns", 1, 1e9},
    Unit{Dimension::kFrequency, "Hz"},
    Unit{Dimension::kFrequency, "MHz", 1e6},
    Unit{Dimension::kFrequency, "GHz", 1e9},
    Unit{Dimension::kBytesPerSecond, "B/s"},
    Unit{Dimension::kBytesPerSecond, "GB/s", 1e9},
    Unit{Dimension::kBytesPerSecond, "TB/s", 1e12},
    Unit{Dimension::kBytesPerCycle, "B/cycle"},
    Unit{Dimension::kFlopsPerCycle, "FLOP/cycle"},
    Unit{Dimension::kPower, "W"},
    Unit{Dimension::kEnergyPerFlop, "J/FLOP"},
    Unit{Dimension::kEnergyPerFlop, "pJ/FLOP", 1, 1e12},
    Unit{Dimension::kEnergyPerByte, "J/B"},
    Unit{Dimension::kEnergyPerByte, "pJ/B", 1, 1e12},
};

const Unit& read_unit(const StrictValue& value, Dimension dimension) {
  const std::string given = value.text();
  std::vector<std::string> known;
  for (const Unit& unit : kUnits) {
    if (unit.dimension == dimension) {
      if (unit.name == given) {
        return unit;
      }
      known.emplace_back(unit.name);
    }
  }
  value.fail(fmt::format("expected unit {}, got '{}'", join(known, " or "), printable(given)));
}

}  // namespace

std::string_view to_text(Source source) { return word_of(kSources, source); }
std::string_view to_text(Confidence confidence) { return word_of(kConfidences, confidence); }

ReadQuantity read_quantity(const StrictValue& value, Dimension dimension, double least,
                           double most) {
  const StrictMap map =
      value.map({"value", "unit", "standard_error", "source", "ref", "confidence"});
  const Unit& unit = read_unit(map.required("unit"), dimension);
  const auto scale = [&unit](double written) { return written * unit.factor / unit.divisor; };

  ReadQuantity read;
  Constant& constant = read.constant;
  const StrictValue number = map.required("value");
  if (dimension == Dimension::kCount) {
    constant.value =
        static_cast<double>(number.integer(static_cast<i64>(least), static_cast<i64>(most)));
  } else {
    constant.value = number.number();
  }
  read.value = scale(constant.value);
  if (!(read.value >= least && read.value <= most)) {
    number.fail(fmt::format("expected {:g} to {:g}{}, got {:g}", in_unit(least, unit.name),
                            in_unit(most, unit.name),
                            unit.name == "1" ? "" : fmt::format(" {}", unit.name), constant.value));
  }
  if (dimension == Dimension::kBytes && read.value != std::floor(read.value)) {
    number.fail("expected an integer number of bytes");
  }
  constant.key_path = value.key_path();
  constant.unit = unit.name;
  if (const std::optional<StrictValue> error = map.optional("standard_error")) {
    constexpr double kMostError = 1e18;
    constant.standard_error = error->number(0, kMostError);
  }
  constant.source = map.required("source").word(kSources);
  constant.ref = map.required("ref").text();
  constant.confidence = map.required("confidence").word(kConfidences);
  return read;
}

double in_unit(double basic, std::string_view name) {
  const auto unit = std::ranges::find(kUnits, name, &Unit::name);
  TILECAST_ASSERT(unit != kUnits.end());
  return basic * unit->divisor / unit->factor;
}

}  // namespace tilecast
