// The headline figures of a validation, kept in a file so that a change that makes the model worse
// is seen. Errors may grow, and speeds of picks may fall, by kRecordTolerance before it counts.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "validate/compare/validation.h"

namespace tilecast {

constexpr double kRecordTolerance = 0.002;  // as a fraction: 0.2 points

/// {"schema":1,"gpu":..,"calibrated":..,"method":..,"points":..,"unmatched":..,
///  "cycles_mape":..,"time_mape":{regime:..},"top1_geomean":{regime:..}}
nlohmann::ordered_json record_of(const Validation& validation);

/// One sentence for each figure that is worse than recorded or missing now. Throws ConfigError
/// `name: key: what was expected` where the record is none, or is one of another GPU.
std::vector<std::string> worse_than_recorded(const Validation& validation, std::string_view record,
                                             std::string_view name);

}  // namespace tilecast
