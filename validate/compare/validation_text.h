// A Validation as JSON and as a text table.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "validate/compare/validation.h"

namespace tilecast {

/// Mean, median, 90th percentile and bias.
nlohmann::ordered_json error_json(const ErrorFigures& figures);

/// Fractions have six decimals; absent figures have no key.
nlohmann::ordered_json to_json(const Validation& validation);

/// The table is at most 80 columns wide and ends with a line end.
std::string to_table(const Validation& validation);

}  // namespace tilecast
