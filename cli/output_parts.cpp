#include "cli/output_parts.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>

#include "model/tile/kernel_config_text.h"
#include "validate/record/measurement.h"

namespace tilecast {

double rounded(double value, int digits) {
  return std::stod(fmt::format("{:.{}g}", value, digits));
}

nlohmann::ordered_json problem_json(const AnyProblem& problem) {
  const Point point = point_of(problem);
  nlohmann::ordered_json json = {{"op", to_text(point.op)}, {"m", point.problem.shape.m}};
  if (sides_of(point.op) > 1) {
    json["n"] = point.problem.shape.n;
  }
  if (sides_of(point.op) > 2) {
    json["k"] = point.problem.shape.k;
  }
  json["dtype"] = to_text(point.problem.dtype);
  if (point.op == Op::kGemm) {
    json["layout"] = to_text(point.problem.layout);
  }
  return json;
}

}  // namespace tilecast
