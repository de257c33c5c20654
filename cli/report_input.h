// Loads the input of a report.
#pragma once

#include "cli/joined_input.h"
#include "reports/manifest.h"
#include "reports/report_json.h"

namespace tilecast {

/// Predicts the rows of the manifest's files and compares them as validate does; `options`: how the
/// GPU is loaded and the cache of predictions. Throws the exceptions of load_joined_input.
ReportInput load_report_input(const Manifest& manifest, JoinedInputOptions options);

}  // namespace tilecast
