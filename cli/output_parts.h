// Pieces that the JSON of several commands shares.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "model/tile/any_op.h"

namespace tilecast {

/// To what a prediction can mean, so that equal answers print equally everywhere.
double rounded(double value, int digits);

/// Op, sides, element type and, where the op has one, layout.
nlohmann::ordered_json problem_json(const AnyProblem& problem);

}  // namespace tilecast
