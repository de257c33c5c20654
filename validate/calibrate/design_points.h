// The points that `calibrate --run` measures on a GPU that runs kernels with mma.sync alone. Which
// of them are legal depends on the GPU, so they are drawn from its own menu, by a fixed seed;
// Hopper's are configs/calibration_points.csv. Checked by: design_points_test.cpp.
#pragma once

#include <vector>

#include "model/spec/gpu_spec.h"
#include "validate/record/point_list.h"

namespace tilecast {

/// Returns points of 64 problems: layers, few rows, any dimensions, short and long K, each with the
/// kernels predicted to be its fastest, and others up to three times as slow.
std::vector<ListedPoint> design_points(const GpuSpec& gpu);

}  // namespace tilecast
