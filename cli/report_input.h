// Loads what a report is made of: from options, or from a manifest.
#pragma once

#include <string>
#include <vector>

#include "reports/manifest.h"
#include "reports/prediction_cache.h"
#include "reports/report_input.h"

namespace tilecast {

/// Reads every file, predicts every row by way of `cache`, and joins. Throws as load_gpu,
/// read_measurements and join_points, and ConfigError where no schedule runs on the GPU or no row
/// has a prediction.
ReportInput load_report_input(const Manifest& manifest, bool use_calibration,
                              PredictionCache& cache);

}  // namespace tilecast
