// A Validation as JSON and as a table for people.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "validate/compare/validation.h"

namespace tilecast {

/// Fractions to six decimals; absent figures have no key.
nlohmann::ordered_json to_json(const Validation& validation);

/// At most 80 columns wide, with a line end at its end.
std::string to_table(const Validation& validation);

}  // namespace tilecast
