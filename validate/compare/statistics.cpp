#include "validate/compare/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "model/base/error.h"
#include "model/base/quantile.h"

namespace tilecast {
namespace {

int sign(double value) { return (value > 0) - (value < 0); }

bool all_equal(const Values& values) {
  return std::all_of(values.begin(), values.end(), [&](double v) { return v == values.front(); });
}

/// Returns ranks from 1; equal values share their mean rank.
Values ranks(const Values& values) {
  Values result;
  for (const double value : values) {
    const auto below =
        std::count_if(values.begin(), values.end(), [=](double v) { return v < value; });
    const auto equal = std::count(values.begin(), values.end(), value);
    result.push_back(static_cast<double>(below) + (static_cast<double>(equal) + 1) / 2);
  }
  return result;
}

}  // namespace

double mean(const Values& values) {
  TILECAST_ASSERT(!values.empty());
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double quantile(Values values, double fraction) {
  std::sort(values.begin(), values.end());
  return quantile_of_sorted<double>(values, fraction);
}

double median(const Values& values) { return quantile(values, 0.5); }

double geomean(const Values& values) {
  Values logarithms;
  for (const double value : values) {
    TILECAST_ASSERT(value > 0);
    logarithms.push_back(std::log(value));
  }
  return std::exp(mean(logarithms));
}

std::optional<double> kendall_tau(const Values& x, const Values& y) {
  TILECAST_ASSERT(x.size() == y.size());
  double agreement = 0, untied_x = 0, untied_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const int dx = sign(x[i] - x[j]);
      const int dy = sign(y[i] - y[j]);
      agreement += dx * dy;
      untied_x += dx != 0 ? 1 : 0;
      untied_y += dy != 0 ? 1 : 0;
    }
  }
  if (untied_x == 0) {
    return std::nullopt;
  }
  return untied_y == 0 ? 0 : agreement / std::sqrt(untied_x * untied_y);
}

std::optional<double> spearman_rho(const Values& x, const Values& y) {
  TILECAST_ASSERT(x.size() == y.size());
  if (x.empty() || all_equal(x)) {
    return std::nullopt;
  }
  if (all_equal(y)) {
    return 0;
  }
  const Values rank_x = ranks(x);
  const Values rank_y = ranks(y);
  const double middle = (static_cast<double>(x.size()) + 1) / 2;
  double both = 0, own_x = 0, own_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    both += (rank_x[i] - middle) * (rank_y[i] - middle);
    own_x += (rank_x[i] - middle) * (rank_x[i] - middle);
    own_y += (rank_y[i] - middle) * (rank_y[i] - middle);
  }
  return both / std::sqrt(own_x * own_y);
}

std::optional<ErrorFigures> error_figures(const Values& relative_errors) {
  if (relative_errors.empty()) {
    return std::nullopt;
  }
  Values sizes;
  for (const double error : relative_errors) {
    sizes.push_back(std::abs(error));
  }
  return ErrorFigures{sizes.size(), mean(sizes), median(sizes), quantile(sizes, 0.9),
                      mean(relative_errors)};
}

std::optional<RatioFigures> ratio_figures(const Values& ratios) {
  if (ratios.empty()) {
    return std::nullopt;
  }
  return RatioFigures{ratios.size(), geomean(ratios), quantile(ratios, 0.1),
                      *std::min_element(ratios.begin(), ratios.end())};
}

}  // namespace tilecast
