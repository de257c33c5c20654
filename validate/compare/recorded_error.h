// The headline figures of a validation, recorded in a file so that a change that degrades the model
// is detected. Errors and widths may grow, and rank correlations and pick qualities fall, by
// kRecordTolerance; coverage may be up to kCoverageTolerance further from 0.9 than recorded, on
// either side. Figures that an older record lacks are not checked: record again to keep them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "validate/compare/validation.h"

namespace tilecast {

constexpr double kRecordTolerance = 0.002;   // as a fraction: 0.2 points
constexpr double kCoverageTolerance = 0.02;  // for 90 % intervals

/// {"schema":1,"gpu":..,"calibrated":..,"corrected":..,"method":..,"split":..,"points":..,
///  "unmatched":..,"time_mape":{regime:..},"top1_geomean":{regime:..},"top3_geomean":{regime:..},
///  "kendall":{regime:..},"kendall_near_best":{regime:..},"cycles_mape":..,"cycles_median":..,
///  "cycles_p90":..,"cycles_near_best_mape":..,"clock_mape":..,"clock_pairs_ordered":..,
///  "coverage_90":..,"median_width":..}; figures that the rows do not allow are absent.
nlohmann::ordered_json record_of(const Validation& validation);

/// Returns the method of a record. Throws the exceptions of worse_than_recorded.
Method recorded_method(std::string_view record, std::string_view name);

/// Throws the exceptions of worse_than_recorded if the record is malformed.
void check_well_formed(std::string_view record, std::string_view name);

/// Returns one sentence for each figure that is worse than recorded, or is now missing. Throws
/// ConfigError `name: key: expectation` if the record is malformed or belongs to another GPU,
/// method, split or state of calibration.
std::vector<std::string> worse_than_recorded(const Validation& validation, std::string_view record,
                                             std::string_view name);

}  // namespace tilecast
