#include "validate/compare/validation.h"

#include <algorithm>

#include "model/predict/roofline.h"
#include "validate/compare/join.h"
#include "validate/compare/pick.h"

namespace tilecast {
namespace {

constexpr double kClockApart = 1.02;
constexpr std::size_t kPickCounts[] = {1, 3, 8};

/// Mean of the values; std::nullopt without values.
std::optional<double> mean_of(const Values& values) {
  return values.empty() ? std::nullopt : std::optional(mean(values));
}

std::vector<JoinedGroup> in_regime(const JoinedData& data, Regime regime) {
  std::vector<JoinedGroup> groups;
  for (const JoinedGroup& group : data.groups) {
    if (group.regime == regime) {
      groups.push_back(group);
    }
  }
  return groups;
}

template <class Function>
void for_each_point(const std::vector<JoinedGroup>& groups, Function function) {
  for (const JoinedGroup& group : groups) {
    for (const JoinedPoint& point : group.points) {
      function(group, point);
    }
  }
}

std::optional<ErrorFigures> cycles_errors(const std::vector<JoinedGroup>& groups, bool all) {
  Values errors;
  for_each_point(groups, [&](const JoinedGroup& group, const JoinedPoint& point) {
    const std::optional<double> error = cycles_error(point);
    if (error && (all || is_near_best(group, point))) {
      errors.push_back(*error);
    }
  });
  return error_figures(errors);
}

std::optional<ErrorFigures> time_errors(const std::vector<JoinedGroup>& groups) {
  Values errors;
  for_each_point(groups, [&](const JoinedGroup&, const JoinedPoint& point) {
    errors.push_back(time_error(point));
  });
  return error_figures(errors);
}

/// For each pair whose measured clocks differ by more than 2 %, adds 1 if it is predicted in the
/// right order, otherwise 0; equal predictions count as wrong.
void add_clock_pairs(Values& ordered, const Values& measured, const Values& predicted) {
  for (std::size_t i = 0; i < measured.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (std::max(measured[i], measured[j]) > kClockApart * std::min(measured[i], measured[j])) {
        const bool right = (measured[i] - measured[j]) * (predicted[i] - predicted[j]) > 0;
        ordered.push_back(right ? 1 : 0);
      }
    }
  }
}

std::optional<ClockFigures> clock_figures(const std::vector<JoinedGroup>& groups) {
  Values errors, orders, ordered;
  for (const JoinedGroup& group : groups) {
    Values measured, predicted;
    for (const JoinedPoint& point : group.points) {
      if (point.measured.sm_clock) {
        measured.push_back(point.measured.sm_clock->value);
        predicted.push_back(point.predicted.sm_clock.value);
        errors.push_back(predicted.back() / measured.back() - 1);
      }
    }
    if (const std::optional<double> tau = kendall_tau(measured, predicted)) {
      orders.push_back(*tau);
    }
    add_clock_pairs(ordered, measured, predicted);
  }
  const std::optional<ErrorFigures> error = error_figures(errors);
  return error ? std::optional(
                     ClockFigures{*error, mean_of(orders), ordered.size(), mean_of(ordered)})
               : std::nullopt;
}

std::optional<RankFigures> rank_figures(const std::vector<JoinedGroup>& groups) {
  Values taus, rhos, near_taus;
  for (const JoinedGroup& group : groups) {
    Values measured, predicted, near_measured, near_predicted;
    for (const JoinedPoint& point : group.points) {
      measured.push_back(point.measured_time().value);
      predicted.push_back(point.predicted.time.value);
      if (is_near_best(group, point)) {
        near_measured.push_back(measured.back());
        near_predicted.push_back(predicted.back());
      }
    }
    if (const std::optional<double> tau = kendall_tau(measured, predicted)) {
      taus.push_back(*tau);
      rhos.push_back(spearman_rho(measured, predicted).value_or(0));
    }
    if (const std::optional<double> tau = kendall_tau(near_measured, near_predicted)) {
      near_taus.push_back(*tau);
    }
  }
  if (taus.empty()) {
    return std::nullopt;
  }
  return RankFigures{mean(taus), mean(rhos), mean_of(near_taus), taus.size()};
}

std::optional<RatioFigures> picks(const std::vector<JoinedGroup>& groups,
                                  const Preference& preference, std::size_t count) {
  Values ratios;
  for (const JoinedGroup& group : groups) {
    if (can_pick(group) && group.points.size() > count) {
      ratios.push_back(pick_ratio(group, preference, count));
    }
  }
  return ratio_figures(ratios);
}

std::optional<double> roofline_mape(const GpuSpec& gpu, const std::vector<JoinedGroup>& groups) {
  Values errors;
  for_each_point(groups, [&](const JoinedGroup& group, const JoinedPoint& point) {
    const std::optional<Seconds> time = roofline_time(gpu, group.problem, point.predicted.config);
    if (time) {
      errors.push_back(*time / point.measured_time() - 1);
    }
  });
  const std::optional<ErrorFigures> figures = error_figures(errors);
  return figures ? std::optional(figures->mape) : std::nullopt;
}

Baselines baselines(const GpuSpec& gpu, const std::vector<JoinedGroup>& groups,
                    const ValidationOptions& options) {
  const std::optional<std::string>& fixed_config = options.fixed_config;
  Values random, top1_of_best, top1_of_ours, aligned, odd, best_aligned, runtime_of_ours;
  for (const JoinedGroup& group : groups) {
    if (can_pick(group)) {
      random.push_back(random_pick_ratio(group));
    }
    if (group.baseline(kCublasltTop1) && group.baseline(kCublasltBest)) {
      top1_of_best.push_back(group.baseline(kCublasltBest)->time->median /
                             group.baseline(kCublasltTop1)->time->median);
    }
    if (group.baseline(kCublasltTop1) && !group.points.empty()) {
      const double ratio = group.best_measured_time() / group.baseline(kCublasltTop1)->time->median;
      top1_of_ours.push_back(ratio);
      (is_aligned(group.problem) ? aligned : odd).push_back(ratio);
    }
    if (group.baseline(kCublasltBest) && !group.points.empty() && is_aligned(group.problem)) {
      best_aligned.push_back(group.best_measured_time() /
                             group.baseline(kCublasltBest)->time->median);
    }
    if (group.baseline(kRuntimeCopy) && !group.points.empty()) {
      runtime_of_ours.push_back(group.best_measured_time() /
                                group.baseline(kRuntimeCopy)->time->median);
    }
  }
  const FixedTiling fixed =
      fixed_config ? fixed_tiling(groups, *fixed_config) : best_fixed_tiling(groups);
  Baselines result;
  result.closed_form = picks(groups, by_closed_form_time, 1);
  result.pick_by_cycles = picks(groups, by_predicted_cycles, 1);
  result.fixed_tiling = ratio_figures(fixed.ratios);
  result.fixed_tiling_config = fixed.config;
  result.fixed_tiling_chosen_here = !fixed_config.has_value();
  result.random = ratio_figures(random);
  result.cublaslt_top1_of_best = ratio_figures(top1_of_best);
  result.cublaslt_top1_of_ours = ratio_figures(top1_of_ours);
  result.cublaslt_aligned = ratio_figures(aligned);
  result.cublaslt_odd = ratio_figures(odd);
  result.cublaslt_best_aligned = ratio_figures(best_aligned);
  result.runtime_copy_of_ours = ratio_figures(runtime_of_ours);
  result.roofline_mape = roofline_mape(gpu, groups);
  return result;
}

std::optional<IntervalFigures> interval_figures(const std::vector<JoinedGroup>& groups) {
  Values inside, widths;
  for_each_point(groups, [&](const JoinedGroup&, const JoinedPoint& point) {
    const Prediction& predicted = point.predicted;
    inside.push_back(inside_interval(point) ? 1 : 0);
    widths.push_back((predicted.interval_high - predicted.interval_low) / predicted.time);
  });
  if (inside.empty()) {
    return std::nullopt;
  }
  return IntervalFigures{mean(inside), median(widths)};
}

}  // namespace

Validation validate(const GpuSpec& gpu, bool calibrated, const JoinedData& data,
                    const ValidationOptions& options) {
  Validation result{.gpu = gpu.name,
                    .calibrated = calibrated,
                    .corrected = gpu.learned != nullptr,
                    .method = Method::kAnalytic,
                    .simulated = 0,
                    .rows = data.rows,
                    .points = data.points,
                    .cublaslt = data.cublaslt,
                    .unmatched = data.unmatched,
                    .excluded = data.excluded,
                    .repeated = data.repeated};
  for_each_point(data.groups, [&](const JoinedGroup&, const JoinedPoint& point) {
    result.simulated += point.predicted.method == Method::kSimulated ? 1 : 0;
  });
  result.method = result.simulated > 0 ? Method::kSimulated : Method::kAnalytic;
  result.cycles = cycles_errors(data.groups, true);
  result.cycles_near_best = cycles_errors(data.groups, false);
  result.clock = clock_figures(data.groups);
  result.baselines = baselines(gpu, data.groups, options);
  for (const Regime regime : {Regime::kBurst, Regime::kSustained}) {
    const std::vector<JoinedGroup> groups = in_regime(data, regime);
    if (const auto error = time_errors(groups)) {
      result.time.emplace(regime, *error);
    }
    if (const auto rank = rank_figures(groups)) {
      result.rank.emplace(regime, *rank);
    }
    for (const std::size_t count : kPickCounts) {
      if (const auto figures = picks(groups, by_predicted_time, count)) {
        result.pick[regime].emplace(count, *figures);
      }
    }
  }
  result.interval = interval_figures(data.groups);
  if (options.chip) {
    result.bytes = byte_figures(*options.chip, data);
  }
  result.by_schedule = error_by_schedule(data);
  result.by_limiter = error_by_limiter(data);
  result.by_size = error_by_size(data);
  result.worst = worst_points(data, options.worst);
  result.worst_picks = worst_picks(data, options.worst);
  return result;
}

}  // namespace tilecast
