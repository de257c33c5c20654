#include "reports/quantities.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "model/tile/kernel_config_text.h"
#include "model/tile/short_config_text.h"

namespace tilecast {
namespace {

std::string gemm_class(const GemmShape& shape) {
  constexpr i64 kStep = 64, kFewRows = 64;
  constexpr double kSmall = 2.0 * 1536 * 1536 * 1536;
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

}  // namespace

std::optional<double> flops_of(const AnyProblem& problem) {
  const GemmProblem* gemm = std::get_if<GemmProblem>(&problem);
  return gemm == nullptr ? std::nullopt : std::optional(gemm_flops(gemm->shape));
}

std::optional<double> tflops(const AnyProblem& problem, Seconds time) {
  const std::optional<double> flops = flops_of(problem);
  return flops ? std::optional(*flops / time.value * kToTera) : std::nullopt;
}

std::optional<double> in_unit(FigureUnit unit, const AnyProblem& problem, Seconds time) {
  constexpr double kTebi = 1024.0 * 1024 * 1024 * 1024;
  switch (unit) {
    case FigureUnit::kTflops:
      return tflops(problem, time);
    case FigureUnit::kTebibytesPerSecond:
      return op_of(problem) == Op::kGemm ? std::nullopt
                                         : std::optional(least_bytes(problem) / time.value / kTebi);
    case FigureUnit::kMicroseconds:
      return time.value * kToMicros;
    case FigureUnit::kHitPercent:
      return std::nullopt;
  }
  TILECAST_ASSERT(!"a unit without a conversion");
  return std::nullopt;
}

std::string shape_class(const AnyProblem& problem) {
  const GemmProblem* gemm = std::get_if<GemmProblem>(&problem);
  return gemm == nullptr ? "memory" : gemm_class(gemm->shape);
}

std::string problem_text(const AnyProblem& problem) {
  const GemmProblem* gemm = std::get_if<GemmProblem>(&problem);
  if (gemm == nullptr) {
    return to_text(problem);
  }
  return to_text(gemm->shape) +
         (gemm->dtype == ElementType::kFp16 ? "" : fmt::format(" {}", types_text(*gemm))) +
         (gemm->layout == Layout::kTn ? "" : fmt::format(" {}", to_text(gemm->layout)));
}

std::string config_text(const AnyConfig& config) {
  const KernelConfig* gemm = std::get_if<KernelConfig>(&config);
  return gemm == nullptr ? to_text(config) : short_text(*gemm);
}

std::string config_text(const std::string& canonical) {
  return canonical.empty() || is_baseline(canonical) ? canonical
                                                     : config_text(parse_config(canonical));
}

std::optional<double> joules_per_tflop(const GpuSpec& gpu, const Measurement& row) {
  const std::optional<double> flops = flops_of(problem_of(row.point));
  if (row.point.regime != Regime::kSustained || !row.power || !row.time || !flops) {
    return std::nullopt;
  }
  constexpr double kClearlyBelow = 0.95;
  const bool at_cap = gpu.clock && gpu.power && row.sm_clock &&
                      *row.sm_clock < gpu.clock->tensor_plateau * kClearlyBelow;
  const Watts power = at_cap ? gpu.power->sustained_limit : *row.power;
  return power.value * row.time->median.value / (*flops * kToTera);
}

std::string first_regime(const DataTable& table) {
  const std::size_t column = table.column("regime");
  const std::string burst(to_text(Regime::kBurst));
  const bool any = std::any_of(
      table.rows.begin(), table.rows.end(),
      [&](const std::vector<Cell>& row) { return std::get<std::string>(row[column]) == burst; });
  return any ? burst : std::get<std::string>(table.rows.front()[column]);
}

}  // namespace tilecast
