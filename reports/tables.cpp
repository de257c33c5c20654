#include "reports/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/problem/problem_text.h"

namespace tilecast {

double shown_number(double value) {
  if (value == 0 || !std::isfinite(value)) {
    return 0;
  }
  constexpr int kDigits = 5;
  const double scale = std::pow(10.0, kDigits - 1 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

std::string problem_text(const AnyProblem& problem) {
  const GemmProblem* gemm = std::get_if<GemmProblem>(&problem);
  if (gemm == nullptr) {
    return to_text(problem);
  }
  std::string text = shape_text(*gemm);
  if (gemm->dtype != ElementType::kFp16) {
    text += " " + types_text(*gemm);
  }
  if (gemm->layout != Layout::kTn) {
    text += fmt::format(" {}", to_text(gemm->layout));
  }
  return text;
}

double tflops_of(const AnyProblem& problem, Seconds time) {
  const GemmProblem* gemm = std::get_if<GemmProblem>(&problem);
  return gemm == nullptr ? 0 : gemm_flops(*gemm) / time.value * kPerTera;
}

std::string problem_class(const AnyProblem& problem) {
  const GemmProblem* gemm = std::get_if<GemmProblem>(&problem);
  if (gemm == nullptr) {
    return "memory";
  }
  constexpr i64 kStep = 64, kFewRows = 64;
  constexpr double kSmall = 2.0 * 1536 * 1536 * 1536;
  const GemmShape& shape = gemm->shape;
  const i64 longer = std::max(shape.m, shape.n);
  if (std::min(shape.m, shape.n) <= kFewRows) {
    return "decode";
  }
  if (shape.m % kStep != 0 || shape.n % kStep != 0 || shape.k % kStep != 0) {
    return "ragged";
  }
  if (shape.k >= 2 * longer) {
    return "long K";
  }
  if (gemm_flops(shape) <= kSmall) {
    return "small";
  }
  return shape.k * 8 <= longer ? "short K" : "large";
}

}  // namespace tilecast
