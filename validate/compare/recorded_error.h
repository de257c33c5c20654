// The headline figures of a validation, kept in a file so that a change that makes the model worse
// is seen. Errors and widths may grow, and orders and speeds of picks fall, by kRecordTolerance
// before it counts; coverage may be up to kCoverageTolerance further from 0.9 than it was, on
// either side. What an older record does not hold is not checked: record again to keep it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "validate/compare/validation.h"

namespace tilecast {

constexpr double kRecordTolerance = 0.002;   // as a fraction: 0.2 points
constexpr double kCoverageTolerance = 0.02;  // of 90 % intervals

/// {"schema":1,"gpu":..,"calibrated":..,"corrected":..,"method":..,"split":..,"points":..,
///  "unmatched":..,"time_mape":{regime:..},"top1_geomean":{regime:..},"top3_geomean":{regime:..},
///  "kendall":{regime:..},"kendall_near_best":{regime:..},"cycles_mape":..,"cycles_median":..,
///  "cycles_p90":..,"cycles_near_best_mape":..,"clock_mape":..,"clock_pairs_ordered":..,
///  "coverage_90":..,"median_width":..}; without those that the rows do not allow.
nlohmann::ordered_json record_of(const Validation& validation);

/// The method that a record is of. Throws as worse_than_recorded.
Method recorded_method(std::string_view record, std::string_view name);

/// Throws as worse_than_recorded does, whatever the validation, where the record is none.
void check_well_formed(std::string_view record, std::string_view name);

/// One sentence for each figure that is worse than recorded or missing now. Throws ConfigError
/// `name: key: what was expected` where the record is none, or is one of another GPU, method, split
/// or state of calibration.
std::vector<std::string> worse_than_recorded(const Validation& validation, std::string_view record,
                                             std::string_view name);

}  // namespace tilecast
