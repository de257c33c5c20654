#include "validate/calibrate/fit_constants.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>

#include "model/base/error.h"
#include "model/base/parallel.h"
#include "model/predict/chip_work.h"
#include "model/spec/gpu_fields.h"
#include "validate/calibrate/least_squares.h"

namespace tilecast {
namespace {

constexpr double kCycleScale = 0.05, kClockScale = 0.02;  // residuals beyond count less
// A standard error of this share of the prior's width says that the rows tell next to nothing.
constexpr double kUndetermined = 0.8;

struct Parameter {
  std::string_view section, key;
  double prior_width;  // of the logarithm
};

constexpr Parameter kCycleParameters[] = {
    {"sm", "intake", 0.05},
    {"wgmma", "completion_latency", 0.5},
    {"wgmma", "block_turn", 0.5},
    {"wgmma", "issue", 0.5},
    {"wgmma", "run_ahead", 0.3},
    {"tma", "l2_latency", 0.3},
    {"tma", "dram_latency", 0.2},
    {"tma", "issue", 0.5},
    {"tma", "outside_cost", 0.5},
    {"tma", "multicast_latency", 0.5},
    {"tma", "misaligned_by_16", 0.3},
    {"tma", "misaligned_by_32", 0.3},
    {"tma", "misaligned_by_64", 0.3},
    {"tma", "fill_rate", 0.3},
    {"tma", "stage_turn", 0.5},
    {"l2", "output", 0.05},
    {"l2", "merge_limit", 0.5},
    {"dram", "read_efficiency", 0.1},
    {"dram", "write_efficiency", 0.2},
    {"epilogue", "fixed", 1},
    {"epilogue", "chunk", 0.5},
    {"epilogue", "rate", 0.5},
    {"epilogue", "plain_rate", 0.5},
    {"epilogue", "store_read", 0.5},
    {"epilogue", "store_latency", 0.3},
    {"launch", "kernel", 0.3},
    {"launch", "cluster", 0.5},
    {"launch", "cta_start", 0.5},
    {"launch", "cta_refill", 0.5},
};

// The power limits are known; energies are relative to them.
constexpr Parameter kClockParameters[] = {
    {"clock", "tensor_plateau", 0.02}, {"clock", "energy_exponent", 0.3},
    {"power", "burst_limit", 0.3},     {"power", "static_power", 0.2},
    {"power", "per_flop_normal", 0.5}, {"power", "per_shared_memory_byte", 1},
    {"power", "per_l2_byte", 1},       {"power", "per_dram_byte", 0.5},
    {"power", "bf16_flop", 0.3},       {"power", "off_line_l2", 0.5},
};

std::vector<Field> section_fields(GpuSpec& spec, std::string_view section) {
  if (section == "sm") {
    return fields_of(spec.sm);
  }
  if (section == "wgmma") {
    return fields_of(spec.wgmma.value());
  }
  if (section == "tma") {
    return fields_of(spec.tma.value());
  }
  if (section == "l2") {
    return fields_of(spec.l2.value());
  }
  if (section == "dram") {
    return fields_of(spec.dram.value());
  }
  if (section == "epilogue") {
    return fields_of(spec.epilogue.value());
  }
  if (section == "launch") {
    return fields_of(spec.launch.value());
  }
  if (section == "clock") {
    return fields_of(spec.clock.value());
  }
  if (section == "power") {
    return fields_of(spec.power.value());
  }
  TILECAST_ASSERT(!"a section without parameters");
  return {};
}

Field field_of(GpuSpec& spec, const Parameter& parameter) {
  for (const Field& field : section_fields(spec, parameter.section)) {
    if (field.key == parameter.key) {
      return field;
    }
  }
  TILECAST_ASSERT(!"a parameter that no GPU file has");
  return {};
}

/// The parameters of a fit, and the spec that they are set in.
class ParameterVector {
 public:
  ParameterVector(const GpuSpec& spec, std::vector<Parameter> parameters)
      : spec_(spec), parameters_(std::move(parameters)) {
    for (const Parameter& parameter : parameters_) {
      const Field field = field_of(spec_, parameter);
      priors_.push_back(*std::get<double*>(field.target));
    }
  }

  /// The spec with the parameters' logarithms added, each within its key's range.
  const GpuSpec& at(const Eigen::VectorXd& logs) {
    const double flop_before = spec_.power->per_flop_normal.value;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const double factor = std::exp(logs[static_cast<Eigen::Index>(i)]);
      const Field field = field_of(spec_, parameters_[i]);
      // Bounds in logarithms may be off by a rounding.
      *std::get<double*>(field.target) = std::clamp(priors_[i] * factor, field.least, field.most);
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
      const Field field = field_of(spec_, parameters_[i]);
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
  const std::string key = std::string(parameter.section) + "." + std::string(parameter.key);
  const auto found = std::ranges::find(gpu.constants, key, &Constant::key_path);
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

ChipWork work_of(const GpuSpec& gpu, const FitRow& row, Cycles cycles) {
  return chip_work(gpu, row.problem, row.config, row.work, cycles);
}

ClockState row_clock(const GpuSpec& gpu, const FitRow& row, const SimulatedRow* simulated,
                     Cycles cycles) {
  if (simulated == nullptr || simulated->cycles.value <= 0) {
    return sm_clock(gpu, work_of(gpu, row, cycles), row.regime, Inputs::kNormal);
  }
  ChipWork work = simulated->work;
  work.elapsed = cycles;
  return phase_clock(gpu, work, simulated->phases, row.regime, Inputs::kNormal).kernel;
}

std::vector<double> cycle_residuals(const GpuSpec& gpu, const FitRows& rows, unsigned threads) {
  return of_each_row(rows, threads, [&](const FitRow& row) {
    return std::log(row.cycles /
                    closed_form(gpu, row.problem, row.config, row.work, row.clock).cycles);
  });
}

Eigen::MatrixXd cycle_derivatives(const LoadedGpu& gpu, const FitRows& rows, unsigned threads) {
  constexpr double kStep = 0.02;
  ParameterVector vector(gpu.spec, {std::begin(kCycleParameters), std::end(kCycleParameters)});
  const Eigen::VectorXd width = vector.priors().width;
  Eigen::VectorXd at = Eigen::VectorXd::Zero(width.size());
  const auto residuals = [&] {
    const std::vector<double> values = cycle_residuals(vector.at(at), rows, threads);
    return Eigen::VectorXd(
        Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size())));
  };
  const Eigen::VectorXd here = residuals();
  Eigen::MatrixXd derivatives(here.size(), width.size());
  for (Eigen::Index p = 0; p < width.size(); ++p) {
    at[p] = kStep;
    derivatives.col(p) = (here - residuals()) * (width[p] / kStep);
    at[p] = 0;
  }
  return derivatives;
}

ConstantFit fit_cycles(LoadedGpu& gpu, const FitRows& rows, unsigned threads) {
  return fit_all(
      gpu, {std::begin(kCycleParameters), std::end(kCycleParameters)},
      [&](const GpuSpec& spec) { return cycle_residuals(spec, rows, threads); }, weights_of(rows),
      kCycleScale);
}

ConstantFit fit_clock(LoadedGpu& gpu, const FitRows& rows,
                      const std::vector<SimulatedRow>& simulated, unsigned threads) {
  std::vector<Parameter> parameters(std::begin(kClockParameters), std::end(kClockParameters));
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
