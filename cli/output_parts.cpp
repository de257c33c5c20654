#include "cli/output_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/problem/group_rows.h"
#include "validate/record/measurement.h"

namespace tilecast {

std::string micro_text(Seconds time) {
  const double value = microseconds(time);
  return fmt::format("{:.{}f}", value, value < 1e4 ? 2 : value < 1e6 ? 1 : 0);
}

double rounded(double value, int digits) {
  return parse_number(fmt::format("{:.{}g}", value, digits)).value_or(value);
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
    json["dtype_c"] = to_text(c_type(point.problem));
    if (const std::string_view sums = accumulate_text(point.problem); !sums.empty()) {
      json["accumulate"] = sums;
    }
    json["layout"] = to_text(point.problem.layout);
    json["epilogue"] = to_text(point.problem.epilogue);
    json["batch"] = to_text(point.problem.batch);
    if (point.problem.groups != nullptr) {
      json["groups"] = point.problem.groups->rows();
      if (grouped_along_k(point.problem)) {
        json["groups_along"] = "k";
      }
      if (point.problem.groups->capacity() > 0) {
        json["capacity"] = point.problem.groups->capacity();
      }
    }
    const LeadingDimensions& leading = point.problem.leading;
    for (const auto& [name, value] :
         {std::pair{"lda", leading.a}, {"ldb", leading.b}, {"ldc", leading.c}}) {
      if (value != 0) {
        json[name] = value;
      }
    }
  }
  return json;
}

nlohmann::ordered_json copies_json(const OperandCopies& copies) {
  return {{"a", copies.operands.a},
          {"b", copies.operands.b},
          {"bytes", rounded(copies.bytes.value, 6)},
          {"time_us", rounded(microseconds(copies.time), 6)}};
}

std::string copied_words(const CopiedOperands& operands) {
  return operands.a && operands.b ? "A and B are" : operands.a ? "A is" : "B is";
}

std::string shown_limiter(std::string_view word) {
  std::string shown(word);
  std::ranges::replace(shown, '_', ' ');
  return shown == "sm intake" ? "SM intake"
         : shown == "l2"      ? "L2"
         : shown == "dram"    ? "DRAM"
                              : shown;
}

std::string wrapped(const std::string& first, std::string_view text, std::string_view breaks) {
  const std::size_t width = kColumns - first.size();
  std::string lines;
  while (!text.empty()) {
    std::size_t end = text.size();
    if (end > width) {
      std::size_t at = text.find_last_of(breaks, width - 1);
      if (at == std::string_view::npos) {  // a list longer than a line is broken after a comma
        at = text.find_last_of(',', width - 1);
      }
      end = at == std::string_view::npos ? width : at + 1;
    }
    std::string_view line = text.substr(0, end);
    line = line.substr(0, line.find_last_not_of(' ') + 1);
    lines += (lines.empty() ? first : std::string(first.size(), ' ')) + std::string(line) + "\n";
    text.remove_prefix(end);
  }
  return lines;
}

}  // namespace tilecast
