#include "validate/calibrate/parameter_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/spec/gpu_fields.h"
#include "validate/calibrate/least_squares.h"

namespace tilecast {
namespace {

/// The parameters of a fit, and the spec that they modify.
class ParameterVector {
 public:
  ParameterVector(const GpuSpec& spec, std::vector<Parameter> parameters)
      : spec_(spec), parameters_(std::move(parameters)) {
    for (const Parameter& parameter : parameters_) {
      priors_.push_back(field_of(spec_, parameter.path).value());
    }
  }

  /// Returns the spec with the parameters' logarithms applied, each clamped to its key's range.
  const GpuSpec& at(const Eigen::VectorXd& logs) {
    const double flop_before = spec_.power ? spec_.power->per_flop_normal.value : 0;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const double factor = std::exp(logs[static_cast<Eigen::Index>(i)]);
      // Bounds in logarithms may be off by rounding, so set() clamps.
      field_of(spec_, parameters_[i].path).set(priors_[i] * factor);
    }
    if (spec_.power) {
      scale_other_inputs(flop_before);
    }
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
  /// Rows have normal inputs. Energies for other inputs keep their ratio to the normal ones.
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

Eigen::VectorXd vector_of(const std::vector<double>& values) {
  return Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

const Constant& constant_of(const LoadedGpu& gpu, const Parameter& parameter) {
  const auto found = std::ranges::find(gpu.constants, parameter.path, &Constant::key_path);
  TILECAST_ASSERT(found != gpu.constants.end());
  return *found;
}

FittedConstant fitted(const LoadedGpu& gpu, const std::vector<Parameter>& parameters,
                      const LeastSquares& answer, std::size_t i) {
  const Constant& prior = constant_of(gpu, parameters[i]);
  const auto at = static_cast<Eigen::Index>(i);
  const double factor = std::exp(answer.parameters[at]);
  FittedConstant constant{.key = prior.key_path,
                          .unit = prior.unit,
                          .prior = prior.value,
                          .value = prior.value * factor,
                          .standard_error = prior.value * factor * answer.standard_error[at],
                          .determined = true,
                          .most_correlated = {},
                          .correlation = 0};
  for (std::size_t j = 0; j < parameters.size(); ++j) {
    const double r = answer.correlation(at, static_cast<Eigen::Index>(j));
    if (j != i && std::abs(r) > std::abs(constant.correlation)) {
      constant.correlation = r;
      constant.most_correlated = constant_of(gpu, parameters[j]).key_path;
    }
  }
  return constant;
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

ParameterFit fit_parameters(const LoadedGpu& gpu, const std::vector<Parameter>& parameters,
                            const ResidualsOf& residuals_of, const std::vector<double>& weights,
                            double scale) {
  ParameterVector vector(gpu.spec, parameters);
  const Residuals residuals = [&](const Eigen::VectorXd& logs, Eigen::VectorXd& out) {
    out = vector_of(residuals_of(vector.at(logs)));
  };
  const LeastSquares answer =
      robust_least_squares(residuals, vector_of(weights), vector.priors(), scale);
  ParameterFit fit{
      ParameterVector(gpu.spec, parameters).at(answer.parameters), {}, answer.evaluations};
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    fit.constants.push_back(fitted(gpu, parameters, answer, i));
  }
  return fit;
}

void note_determined(const std::vector<Parameter>& parameters, double share, ParameterFit& fit) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    FittedConstant& constant = fit.constants[i];
    constant.determined =
        constant.standard_error < share * parameters[i].prior_width * constant.value;
  }
}

double mean_error(const std::vector<double>& logs) {
  double sum = 0;
  for (const double log : logs) {
    sum += std::abs(std::exp(-log) - 1);
  }
  return sum / static_cast<double>(logs.size());
}

void note_bounds(GpuSpec spec, std::vector<FittedConstant>& constants) {
  constexpr double kNear = 1e-6;  // fraction of the range
  for (FittedConstant& constant : constants) {
    const Field field = field_of(spec, constant.key);
    const double near = kNear * (field.most - field.least);
    constant.at_bound = constant.determined &&
                        (field.value() <= field.least + near || field.value() >= field.most - near);
  }
}

std::string constant_lines(const std::vector<FittedConstant>& constants) {
  std::string text;
  for (const FittedConstant& c : constants) {
    text +=
        fmt::format("  {:<28} {:>10.4g} {:>10.4g} {:>8} {:<9} {}\n", c.key, c.prior, c.value,
                    c.determined ? fmt::format("{:.2g}", c.standard_error) : "-", c.unit,
                    c.determined ? std::abs(c.correlation) > 0.7
                                       ? fmt::format("{:+.2f} {}", c.correlation, c.most_correlated)
                                       : ""
                                 : "not determined by the data; prior kept");
  }
  return text;
}

std::string bound_lines(const std::vector<FittedConstant>& constants) {
  std::string text;
  for (const FittedConstant& c : constants) {
    if (c.at_bound) {
      text += fmt::format(
          "  {} ended at the bound of its range, {:.4g} {}: these rows do not fit the model; check "
          "them before using this overlay\n",
          c.key, c.value, c.unit);
    }
  }
  return text;
}

std::string section_text(std::string_view section, const std::vector<FittedConstant>& constants,
                         const std::string& rows, const std::string& command) {
  std::string text;
  for (const FittedConstant& c : constants) {
    if (c.determined) {
      text += fmt::format(
          "  {}: {{value: {:.4g}, unit: \"{}\",{}, confidence: medium, ref: "
          "\"tilecast calibrate, {}; prior {:.4g}\"}}\n",
          c.key.substr(c.key.find('.') + 1), c.value, c.unit,
          c.standard_error > 0
              ? fmt::format(" standard_error: {:.2g}, source: fitted", c.standard_error)
              : " source: derived",  // the interval is the 90th percentile of errors
          rows, c.prior);
    }
  }
  return text.empty() ? "" : fmt::format("{}:\n  # Made by `{}`\n{}", section, command, text);
}

std::string with_section(const std::string& overlay, const std::string& name,
                         std::string_view section, const std::string& own) {
  std::string text;
  bool inside = false;
  for (const std::string_view line : split(overlay, '\n')) {
    if (!line.starts_with(' ') && !line.empty()) {
      inside = line == std::string(section) + ":";
    }
    if (!inside) {
      text += std::string(line) + "\n";
    }
  }
  while (text.ends_with("\n\n")) {
    text.pop_back();
  }
  return (text.size() <= 1 ? "name: " + name + "\n" : text) + "\n" + own;
}

}  // namespace tilecast
