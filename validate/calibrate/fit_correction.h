// The correction on top of fitted constants, for closed forms and for simulation: ridge regressions
// of what remains of cycles, then of the clock that follows; how large the rest is; and its
// quantiles by regime and schedule. All that is said of errors comes from rows left out, a fifth of
// the problems at a time (and, beside it, a fifth of the tiles).
//
// The constants themselves have seen all rows, which makes the left-out errors a little too small;
// problems that a split keeps from the fit altogether show by how much (validate).
// Checked by: fit_correction_test.cpp.
#pragma once

#include <functional>

#include "model/predict/prediction.h"
#include "model/spec/correction.h"
#include "validate/calibrate/fit_constants.h"
#include "validate/calibrate/fit_rows.h"

namespace tilecast {

/// Mean errors: of the physics alone, and corrected with the row's problem or tile left out.
struct LeftOutError {
  double cycles_without, cycles_shapes, cycles_tiles;
  double clock_without, clock_shapes;
};

struct CorrectionFit {
  MethodCorrection correction;
  LeftOutError error;
};

/// `simulated`: each row at its clock; empty for closed forms.
CorrectionFit fit_correction(const GpuSpec& gpu, const FitRows& rows,
                             const std::vector<SimulatedRow>& simulated, unsigned threads);

/// Of every row at its measured clock, by simulation.
std::vector<SimulatedRow> simulate_rows(const GpuSpec& gpu, const FitRows& rows, unsigned threads,
                                        const std::function<void(std::size_t)>& progress);

}  // namespace tilecast
