// What the micro-benchmarks say of the keys of a GPU file, written as an overlay of that file with
// `measured` provenance. Keys that no measured point speaks of stay out, and keep their old number.
//
// A fitted number may hold more than its name (configs/README.md); one measured alone holds no
// more, so the two are not interchangeable: this is the calibration's starting point, not its
// result.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/base/units.h"
#include "validate/measure/micro_point.h"

namespace tilecast {

struct MeasuredConstant {
  std::string section, key, unit;  // of the GPU file
  Quartiles value;
  int samples;
  std::string kernel;
};

/// Energy per operation ~ (clock / reference)^exponent.
struct EnergyScale {
  Hertz reference;
  double exponent;
};

/// Of the GPU's file.
struct CardFacts {
  u32 sms;
  BytesPerSecond dram_bandwidth;      // efficiencies are shares of it
  std::optional<EnergyScale> energy;  // none: no energies
};

std::vector<MeasuredConstant> measured_constants(std::span<const MicroPoint> points,
                                                 const CardFacts& card);

/// YAML that model/spec/gpu_overlay.h reads.
std::string overlay_text(const std::string& gpu, std::span<const MeasuredConstant> constants);

}  // namespace tilecast
