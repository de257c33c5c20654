// What no kernel beats, whatever a model, a fit or an interval says of it.
//
//   tensor  the FLOPs asked for (what a tile computes outside of its matrix not counted), by the
//           tensor cores of every SM at once
//   intake  the operands of every tile, into all SMs at once at what an SM takes in
//   dram    inputs read once and results written once at the highest rate that was measured
//           (highest_dram_rate). Both count where buffer sets larger than L2 take turns
//           (L2State::kRotating), as predictions have it: inputs are not in L2 when a run begins,
//           and its results push out an earlier run's.
//   dram_peak  the same at the datasheet's rate, which no card passes. Cards differ by some per
//           cent around the measured rate: a forecast keeps to `dram`, its interval to `dram_peak`.
//   launch  start and end of a kernel that does nothing
// Each holds alone, so that together they say less than a sum would: a bound is no prediction.
// Leaves out: inputs that stay in L2 (l2_state warm), for which `dram` is no bound.
// An op works its own out. Checked by: their tests (worked by hand), validate/compare/
// hard_bounds_test.cpp (no committed row beats one), tests/random (no prediction does).
#pragma once

#include <algorithm>

#include "model/base/units.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

struct HardBounds {
  Cycles tensor, intake;            // at any SM clock
  Seconds dram, dram_peak, launch;  // whatever the SM clock

  /// Of a forecast.
  Seconds least_time(Hertz sm_clock) const;
  /// On any card of the kind: of an interval's end, and of a measurement.
  Seconds least_on_any_card(Hertz sm_clock) const;
};

/// Bytes of DRAM in a second, as the GPU's file says they were measured: reads or writes alone,
/// whichever is faster. A mix is slower than that.
inline BytesPerSecond highest_dram_rate(const GpuSpec& gpu) {
  return std::max(gpu.dram->read_rate, gpu.dram->write_rate);
}

}  // namespace tilecast
