// Converts results of the micro-benchmarks to keys of a GPU file, written as an overlay of that
// file with `measured` provenance. Keys without a measured point are omitted and keep their old
// value.
//
// A calibration keeps these constants, and fits the few that no micro-benchmark measures in
// isolation.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/base/units.h"
#include "validate/measure/micro/micro_point.h"

namespace tilecast {

struct MeasuredConstant {
  std::string section, key, unit;  // section, key and unit of the GPU file
  Quartiles value;
  int samples;
  std::string kernel;
};

/// Energy per operation ~ (clock / reference)^exponent.
struct EnergyScale {
  Hertz reference;
  double exponent;
};

/// Facts from the GPU file.
struct CardFacts {
  u32 sms;
  std::optional<EnergyScale> energy;  // if not set, no energies are derived
};

std::vector<MeasuredConstant> measured_constants(std::span<const MicroPoint> points,
                                                 const CardFacts& card);

/// Returns YAML that model/spec/yaml_tree.h reads.
std::string overlay_text(const std::string& gpu, std::span<const MeasuredConstant> constants);

}  // namespace tilecast
