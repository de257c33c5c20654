#include "validate/calibrate/fit_constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "model/base/error.h"
#include "model/base/parallel.h"
#include "model/gemm/predict/kernel_activity.h"
#include "model/spec/gpu_fields.h"
#include "validate/calibrate/least_squares.h"

namespace tilecast {
namespace {

constexpr double kClockScale = 0.02;  // residuals beyond count less
// A standard error of this share of the prior's width says that the rows tell next to nothing.
constexpr double kUndetermined = 0.8;

/// The power limits are known; energies are relative to them.
std::vector<Parameter> of_clock(const GpuSpec& spec) {
  return parameters_of(spec, {"clock", "power"});
}

/// The parameters of a fit, and the spec that they are set in.
class ParameterVector {
 public:
  ParameterVector(const GpuSpec& spec, std::vector<Parameter> parameters)
      : spec_(spec), parameters_(std::move(parameters)) {
    for (const Parameter& parameter : parameters_) {
      priors_.push_back(field_of(spec_, parameter.path).value());
    }
  }

  /// The spec with the parameters' logarithms added, each within its key's range.
  const GpuSpec& at(const Eigen::VectorXd& logs) {
    const double flop_before = spec_.power->per_flop_normal.value;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const double factor = std::exp(logs[static_cast<Eigen::Index>(i)]);
      // Bounds in logarithms may be off by a rounding, which set() mends.
      field_of(spec_, parameters_[i].path).set(priors_[i] * factor);
    }
    scale_other_inputs(flop_before);
    return spec_;
  }

  /// The keys' ranges, as logarithms of factors on the priors.
  Priors priors() {
    const auto count = static_cast<Eigen::Index>(parameters_.size());
    Priors priors{Eigen::VectorXd(count), Eigen::VectorXd(count), Eigen::VectorXd(count)};
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const auto at = static_cast<Eigen::Index>(i);
      const Field field = field_of(spec_, parameters_[i].path);
      constexpr double kLeast = std::numeric_limits<double>::min();  // 0 has no logarithm
      const double prior = std::max(priors_[i], kLeast);
      priors.width[at] = parameters_[i].prior_width;
      priors.least[at] = std::log(std::max(field.least, kLeast) / prior);
      priors.most[at] = std::log(field.most / prior);
    }
    return priors;
  }

 private:
  /// Rows are of normal inputs; other data keep their ratio to it.
  void scale_other_inputs(double flop_before) {
    PowerSpec& power = *spec_.power;
    const double factor = power.per_flop_normal.value / flop_before;
    for (Joules* other :
         {&power.per_flop_uniform, &power.per_flop_ternary, &power.per_flop_zeros}) {
      *other = *other * factor;
    }
  }

  GpuSpec spec_;
  std::vector<Parameter> parameters_;
  std::vector<double> priors_;
};

const Constant& constant_of(const LoadedGpu& gpu, const Parameter& parameter) {
  const auto found = std::ranges::find(gpu.constants, parameter.path, &Constant::key_path);
  TILECAST_ASSERT(found != gpu.constants.end());
  return *found;
}

using ResidualsOf = std::function<std::vector<double>(const GpuSpec&)>;

struct OneFit {
  LeastSquares answer;
  std::vector<Parameter> parameters;
};

OneFit fit_parameters(const GpuSpec& spec, const std::vector<Parameter>& parameters,
                      const ResidualsOf& residuals_of, const Eigen::VectorXd& weights,
                      double scale) {
  ParameterVector vector(spec, parameters);
  const Residuals residuals = [&](const Eigen::VectorXd& logs, Eigen::VectorXd& out) {
    const std::vector<double> values = residuals_of(vector.at(logs));
    out =
        Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
  };
  return {robust_least_squares(residuals, weights, vector.priors(), scale), parameters};
}

FittedConstant fitted(const LoadedGpu& gpu, const OneFit& fit, std::size_t i) {
  const Constant& prior = constant_of(gpu, fit.parameters[i]);
  const auto at = static_cast<Eigen::Index>(i);
  const double factor = std::exp(fit.answer.parameters[at]);
  FittedConstant constant{.key = prior.key_path,
                          .unit = prior.unit,
                          .prior = prior.value,
                          .value = prior.value * factor,
                          .standard_error = prior.value * factor * fit.answer.standard_error[at],
                          .determined = true,
                          .most_correlated = {},
                          .correlation = 0};
  for (std::size_t j = 0; j < fit.parameters.size(); ++j) {
    const double r = fit.answer.correlation(at, static_cast<Eigen::Index>(j));
    if (j != i && std::abs(r) > std::abs(constant.correlation)) {
      constant.correlation = r;
      constant.most_correlated = constant_of(gpu, fit.parameters[j]).key_path;
    }
  }
  return constant;
}

/// Fits all; what the rows do not determine goes back to its prior, and the others are fitted
/// again.
ConstantFit fit_all(LoadedGpu& gpu, const std::vector<Parameter>& parameters,
                    const ResidualsOf& residuals_of, const Eigen::VectorXd& weights, double scale) {
  OneFit fit = fit_parameters(gpu.spec, parameters, residuals_of, weights, scale);
  ConstantFit result{{}, fit.answer.evaluations};
  std::vector<Parameter> kept;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const double error = fit.answer.standard_error[static_cast<Eigen::Index>(i)];
    if (error < kUndetermined * parameters[i].prior_width) {
      kept.push_back(parameters[i]);
      continue;
    }
    FittedConstant undetermined = fitted(gpu, fit, i);
    undetermined.value = undetermined.prior;
    undetermined.standard_error = undetermined.prior * parameters[i].prior_width;
    undetermined.determined = false;
    result.constants.push_back(undetermined);
  }
  if (kept.empty()) {
    return result;
  }
  if (kept.size() < parameters.size()) {
    fit = fit_parameters(gpu.spec, kept, residuals_of, weights, scale);
    result.evaluations += fit.answer.evaluations;
  }
  for (std::size_t i = 0; i < kept.size(); ++i) {
    result.constants.push_back(fitted(gpu, fit, i));
  }
  gpu.spec = ParameterVector(gpu.spec, kept).at(fit.answer.parameters);
  note_bounds(gpu.spec, result.constants);
  return result;
}

Eigen::VectorXd weights_of(const FitRows& rows) {
  Eigen::VectorXd weights(static_cast<Eigen::Index>(rows.rows.size()));
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    weights[static_cast<Eigen::Index>(i)] = rows.rows[i].weight;
  }
  return weights;
}

/// `residual` of every row, some hundred of them at a time on each thread.
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

std::vector<Parameter> parameters_of(GpuSpec spec,
                                     std::initializer_list<std::string_view> sections) {
  std::vector<Parameter> parameters;
  for (const Field& field : fields_of(spec)) {
    if (field.prior_width > 0 && std::ranges::find(sections, field.section) != sections.end()) {
      parameters.push_back({field.path(), field.prior_width});
    }
  }
  return parameters;
}

void note_bounds(GpuSpec spec, std::vector<FittedConstant>& constants) {
  constexpr double kNear = 1e-6;  // of the range
  for (FittedConstant& constant : constants) {
    const Field field = field_of(spec, constant.key);
    const double near = kNear * (field.most - field.least);
    constant.at_bound = constant.determined &&
                        (field.value() <= field.least + near || field.value() >= field.most - near);
  }
}

std::string bound_lines(const std::vector<FittedConstant>& constants) {
  std::string text;
  for (const FittedConstant& c : constants) {
    if (c.at_bound) {
      text += fmt::format(
          "  {} ended at the bound of its range, {:.4g} {}: these rows ask for a kernel or a card "
          "that the model does not know; look at them before using this overlay\n",
          c.key, c.value, c.unit);
    }
  }
  return text;
}

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
  // Sustained rows are few and cost as much to be wrong about.
  Eigen::VectorXd weights = weights_of(rows);
  const auto sustained = std::ranges::count(rows.rows, Regime::kSustained, &FitRow::regime);
  if (sustained > 0) {
    const double factor = std::max(
        1.0, 0.25 * static_cast<double>(rows.rows.size()) / static_cast<double>(sustained));
    for (std::size_t i = 0; i < rows.rows.size(); ++i) {
      if (rows.rows[i].regime == Regime::kSustained) {
        weights[static_cast<Eigen::Index>(i)] *= factor;
      }
    }
  }
  return fit_all(gpu, parameters, residuals_of, weights, kClockScale);
}

}  // namespace tilecast
