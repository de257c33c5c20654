#include "validate/calibrate/fit_constants.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "model/base/parallel.h"
#include "model/gemm/costs/tensor_operation.h"
#include "model/gemm/predict/kernel_activity.h"

namespace tilecast {
namespace {

constexpr double kClockScale = 0.02;  // larger residuals are down-weighted
// If a constant's standard error is above this fraction of the prior's width, it counts as
// undetermined.
constexpr double kUndetermined = 0.8;

constexpr double kCyclesScale = 0.1;  // likewise, of cycles

/// The power limits are known; energies are fitted relative to them. No micro-benchmark measures
/// the clocks of a GPU that runs kernels with mma.sync alone.
std::vector<Parameter> of_clock(const GpuSpec& spec) {
  std::vector<Parameter> parameters = parameters_of(spec, {"clock", "power"});
  if (menu_tensor_core(spec) == TensorCore::kMmaSync) {
    parameters.push_back({"clock.max", 0.1});
    parameters.push_back({"clock.tensor_plateau", 0.1});
  }
  return parameters;
}

/// Constants of cycles that a file of such a GPU has from a datasheet or from another GPU.
std::vector<Parameter> of_cycles() {
  return {
      {"mma_sync.operand_latency", 0.5}, {"mma_sync.copy_issue", 0.5}, {"machine.intake", 0.3},
      {"machine.l2_output", 0.3},        {"machine.l2_latency", 0.3},  {"machine.kernel", 0.5},
      {"machine.dram_latency", 0.3},     {"machine.cta_start", 0.5},   {"machine.epilogue", 0.5}};
}

/// Fits all parameters. Undetermined ones return to their priors, and the others are fitted again.
ConstantFit fit_all(LoadedGpu& gpu, const std::vector<Parameter>& parameters,
                    const ResidualsOf& residuals_of, const std::vector<double>& weights,
                    double scale) {
  ParameterFit fit = fit_parameters(gpu, parameters, residuals_of, weights, scale);
  ConstantFit result{{}, fit.evaluations};
  std::vector<Parameter> kept;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    FittedConstant& constant = fit.constants[i];
    const double width = parameters[i].prior_width;
    if (constant.standard_error < kUndetermined * width * constant.value) {
      kept.push_back(parameters[i]);
      continue;
    }
    constant.value = constant.prior;
    constant.standard_error = constant.prior * width;
    constant.determined = false;
    result.constants.push_back(constant);
  }
  if (kept.empty()) {
    return result;
  }
  if (kept.size() < parameters.size()) {
    fit = fit_parameters(gpu, kept, residuals_of, weights, scale);
    result.evaluations += fit.evaluations;
  }
  result.constants.insert(result.constants.end(), fit.constants.begin(), fit.constants.end());
  gpu.spec = fit.gpu;
  note_bounds(gpu.spec, result.constants);
  return result;
}

/// Evaluates `residual` for every row, a few hundred at a time per thread.
template <class Residual>
std::vector<double> of_each_row(const FitRows& rows, unsigned threads, const Residual& residual) {
  constexpr std::size_t kAtOnce = 256;
  std::vector<double> residuals(rows.rows.size());
  parallel_for((residuals.size() + kAtOnce - 1) / kAtOnce, threads, [&](std::size_t block) {
    const std::size_t end = std::min(residuals.size(), (block + 1) * kAtOnce);
    for (std::size_t i = block * kAtOnce; i < end; ++i) {
      residuals[i] = residual(rows.rows[i]);
    }
  });
  return residuals;
}

}  // namespace

KernelActivity activity_of(const GpuSpec& gpu, const FitRow& row) {
  return kernel_activity(gpu, row.problem, row.config, row.work);
}

ClockState row_clock(const GpuSpec& gpu, const FitRow& row, const KernelActivity* simulated,
                     Cycles cycles) {
  const bool is_simulated = simulated != nullptr && simulated->work.elapsed.value > 0;
  return clock_of(gpu, is_simulated ? *simulated : activity_of(gpu, row), cycles, row.regime,
                  Inputs::kNormal)
      .kernel;
}

std::vector<double> cycle_residuals(const GpuSpec& gpu, const FitRows& rows, unsigned threads) {
  return of_each_row(rows, threads, [&](const FitRow& row) {
    return std::log(row.cycles /
                    closed_form(gpu, row.problem, row.config, row.work, row.clock).cycles);
  });
}

ConstantFit fit_cycles(LoadedGpu& gpu, const FitRows& rows, unsigned threads) {
  if (menu_tensor_core(gpu.spec) != TensorCore::kMmaSync) {
    return {};
  }
  std::vector<double> weights;
  std::ranges::transform(rows.rows, std::back_inserter(weights), &FitRow::weight);
  return fit_all(
      gpu, of_cycles(), [&](const GpuSpec& spec) { return cycle_residuals(spec, rows, threads); },
      weights, kCyclesScale);
}

ConstantFit fit_clock(LoadedGpu& gpu, const FitRows& rows,
                      const std::vector<KernelActivity>& simulated, unsigned threads) {
  const std::vector<Parameter> parameters = of_clock(gpu.spec);
  const ResidualsOf residuals_of = [&](const GpuSpec& spec) {
    return of_each_row(rows, threads, [&](const FitRow& row) {
      const auto i = static_cast<std::size_t>(&row - rows.rows.data());
      const ClockState state =
          row_clock(spec, row, simulated.empty() ? nullptr : &simulated[i], row.cycles);
      return std::log(row.clock / state.sm_clock);
    });
  };
  // There are few sustained rows, but errors on them matter as much.
  std::vector<double> weights;
  const auto sustained = std::ranges::count(rows.rows, Regime::kSustained, &FitRow::regime);
  const double factor = std::max(1.0, 0.25 * static_cast<double>(rows.rows.size()) /
                                          std::max(1.0, static_cast<double>(sustained)));
  for (const FitRow& row : rows.rows) {
    weights.push_back(row.weight * (row.regime == Regime::kSustained ? factor : 1));
  }
  return fit_all(gpu, parameters, residuals_of, weights, kClockScale);
}

}  // namespace tilecast
