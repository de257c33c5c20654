// Statistics of dimensionless numbers: relative errors, time ratios, rank correlations. Functions
// of a list need at least one number.
#pragma once

#include <optional>
#include <vector>

namespace tilecast {

using Values = std::vector<double>;

double mean(const Values& values);

/// Interpolates linearly between order statistics, at position (n - 1) * fraction of the sorted
/// list.
double quantile(Values values, double fraction);

double median(const Values& values);

/// Geometric mean; values must be positive.
double geomean(const Values& values);

/// Kendall's tau-b: (concordant - discordant) / sqrt(pairs untied in x * pairs untied in y).
/// std::nullopt if all of x are equal, because there is no order to find; 0 if all of y are equal.
std::optional<double> kendall_tau(const Values& x, const Values& y);

/// Spearman's rho: the correlation of ranks, where equal values share their mean rank. std::nullopt
/// and 0 as for kendall_tau.
std::optional<double> spearman_rho(const Values& x, const Values& y);

/// Figures of relative errors (predicted / measured - 1).
struct ErrorFigures {
  std::size_t points;
  double mape, median, p90;  // of absolute errors
  double bias;               // signed mean
};

/// Returns std::nullopt if there are no errors.
std::optional<ErrorFigures> error_figures(const Values& relative_errors);

/// Figures of speed ratios, mostly in (0, 1].
struct RatioFigures {
  std::size_t groups;
  double geomean, p10, min;
};

std::optional<RatioFigures> ratio_figures(const Values& ratios);

}  // namespace tilecast
