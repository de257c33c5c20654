// Functions for the parts of a report's JSON described in report_json.h; null if the data do not
// allow one.
#pragma once

#include "reports/report_json.h"
#include "reports/tables.h"

namespace tilecast {

Json waves_json(const WaveInput& waves);
Json errors_json(const ReportInput& input, Regime regime);
Json picks_json(const ReportInput& input, Regime regime);
Json clock_json(const JoinedData& data);
Json problems_json(const ReportInput& input);
Json timelines_json(const ReportInput& input);
Json layers_json(const LayersInput& layers);

}  // namespace tilecast
