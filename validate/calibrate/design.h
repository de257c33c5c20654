// Which points to measure for a calibration: greedily those that add most to the determinant of the
// information matrix (D-optimal) of the learned part's features.
//
// Each row counts z z', z the features brought to a spread of 0.03, over the 5 % that a row is off.
// Gains only shrink as points are added, so the best old gain is tried first.
// Leaves out: what a point costs to measure; the clock's constants. Checked by: design_test.cpp.
#pragma once

#include <vector>

#include "model/spec/gpu_spec.h"
#include "validate/calibrate/fit_rows.h"

namespace tilecast {

/// Indices of `count` of the rows (all where there are fewer), the most telling first.
std::vector<std::size_t> most_informative(const GpuSpec& gpu, const FitRows& rows,
                                          std::size_t count);

}  // namespace tilecast
