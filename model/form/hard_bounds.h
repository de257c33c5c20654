// Lower bounds on a kernel's time, independent of models, fits and intervals.
//
//   tensor  the FLOPs of the problem (padding of tiles not counted), by the tensor cores of every
//           SM at once
//   intake  the operands of every tile, into all SMs at once at the SM fill bandwidth
//   dram    inputs read once and results written once at the highest measured rate
//           (highest_dram_rate). Both count if buffer sets larger than L2 are rotated
//           (L2State::kRotating), as predictions assume: inputs are not in L2 when a run begins,
//           and its results evict an earlier run's.
//   dram_peak the same bytes at the datasheet's bandwidth, which no GPU exceeds. GPUs vary by a few
//           per cent around the measured rate: a forecast respects `dram`, its interval
//           `dram_peak`.
//   launch  duration of an empty kernel
// Each bound holds by itself; a bound is not a prediction. Not modelled: inputs that stay in L2
// (l2_state warm), for which `dram` is no bound. Each op computes its own. Checked by: their tests
// (computed by hand), validate/compare/hard_bounds_test.cpp (no committed measurement is below
// one), tests/random (no prediction is).
#pragma once

#include <algorithm>

#include "model/base/units.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

struct HardBounds {
  Cycles tensor, intake;            // bounds in cycles, at any SM clock
  Seconds dram, dram_peak, launch;  // independent of the SM clock
  /// Highest clock of the GPU, which may exceed the forecast's; above 0 only without a calibration,
  /// if the forecast's clock is derived from another GPU's.
  Hertz highest_clock{};

  /// Lower bound on a forecast's time.
  Seconds least_time(Hertz sm_clock) const;
  /// Lower bound for any GPU of this model: for an interval's ends and for measurements.
  Seconds least_on_any_card(Hertz sm_clock) const;
};

/// Highest measured DRAM rate: read-only or write-only, whichever is faster. A mix is slower.
inline BytesPerSecond highest_dram_rate(const GpuSpec& gpu) {
  return std::max(gpu.dram->read_rate, gpu.dram->write_rate);
}

}  // namespace tilecast
