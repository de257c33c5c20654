// What the micro-benchmarks say of the keys of a GPU file, written as an overlay of that file with
// `measured` provenance. Keys that no measured point speaks of stay out, and keep their old number.
//
// A fitted number may hold more than its name (configs/README.md); one measured alone holds no
// more, so the two are not interchangeable: this is the calibration's starting point, not its
// result.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "model/spec/gpu_spec.h"
#include "validate/measure/micro_point.h"

namespace tilecast {

struct MeasuredConstant {
  std::string section, key, unit;  // of the GPU file
  Quartiles value;
  int samples;
  std::string kernel;
};

/// `gpu`: the GPU's file, with a section dram. Efficiencies are shares of its bandwidth, energies
/// are taken to its reference clock.
std::vector<MeasuredConstant> measured_constants(std::span<const MicroPoint> points,
                                                 const GpuSpec& gpu);

/// YAML that model/spec/gpu_overlay.h reads.
std::string overlay_text(const std::string& gpu, std::span<const MeasuredConstant> constants);

}  // namespace tilecast
