// Statistics of dimensionless numbers: relative errors, ratios of times, order of two lists.
// Each of the functions of a list wants at least one number.
#pragma once

#include <optional>
#include <vector>

namespace tilecast {

using Values = std::vector<double>;

double mean(const Values& values);

/// Between order statistics by straight line: place (n - 1) * fraction in the sorted list.
double quantile(Values values, double fraction);

double median(const Values& values);

/// Of positive numbers.
double geomean(const Values& values);

/// Kendall's tau-b: (concordant - discordant) / sqrt(pairs untied in x * pairs untied in y).
/// Nothing where all of x are equal, so that there is no order to find; 0 where all of y are.
std::optional<double> kendall_tau(const Values& x, const Values& y);

/// Spearman's rho: correlation of ranks, equal values sharing their mean rank. Nothing and 0 as for
/// kendall_tau.
std::optional<double> spearman_rho(const Values& x, const Values& y);

/// Wilcoxon's signed-rank test: how likely, were every sign a coin's toss, a sum of the ranks of
/// positive differences would be as far from its middle as this one, on either side. Zeros are left
/// out, equal sizes share their mean rank; exact (time goes with the third power of the count).
/// 1 where nothing but zeros is left.
double signed_rank_p(const Values& differences);

/// Of relative errors (predicted / measured - 1).
struct ErrorFigures {
  std::size_t points;
  double mape, median, p90;  // of the absolute value
  double bias;               // mean, signed
};

/// Nothing without errors.
std::optional<ErrorFigures> error_figures(const Values& relative_errors);

/// Of speed ratios in (0, 1] or so.
struct RatioFigures {
  std::size_t groups;
  double geomean, p10, min;
};

std::optional<RatioFigures> ratio_figures(const Values& ratios);

}  // namespace tilecast
