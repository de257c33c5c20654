#include "validate/compare/pick.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "model/base/error.h"

namespace tilecast {
namespace {

constexpr double kWidespread = 0.9;  // fraction of the groups that contain the most widespread
                                     // configuration

double ratio_of(const JoinedGroup& group, const JoinedPoint& point) {
  return group.best_measured_time() / point.measured_time();
}

}  // namespace

double by_predicted_time(const JoinedPoint& point) { return point.predicted.time.value; }
double by_predicted_cycles(const JoinedPoint& point) { return point.predicted.cycles.value; }
double by_closed_form_time(const JoinedPoint& point) {
  return point.predicted.closed_form_time.value;
}

bool is_aligned(const AnyProblem& problem) {
  constexpr i64 kWideLoad = 8;  // 16-bit elements of a 16-byte load
  const GemmProblem* gemm = std::get_if<GemmProblem>(&problem);
  return gemm == nullptr || (gemm->shape.m % kWideLoad == 0 && gemm->shape.n % kWideLoad == 0 &&
                             gemm->shape.k % kWideLoad == 0);
}

bool can_pick(const JoinedGroup& group) { return group.points.size() >= 2; }

std::vector<const JoinedPoint*> picked(const JoinedGroup& group, const Preference& preference) {
  std::vector<const JoinedPoint*> order;
  for (const JoinedPoint& point : group.points) {
    order.push_back(&point);
  }
  std::sort(order.begin(), order.end(), [&](const JoinedPoint* a, const JoinedPoint* b) {
    return std::tuple(preference(*a), std::string_view(a->measured.point.config)) <
           std::tuple(preference(*b), std::string_view(b->measured.point.config));
  });
  return order;
}

double pick_ratio(const JoinedGroup& group, const Preference& preference, std::size_t count) {
  TILECAST_ASSERT(!group.points.empty() && count > 0);
  std::vector<const JoinedPoint*> order = picked(group, preference);
  order.resize(std::min(count, order.size()));
  double best = 0;
  for (const JoinedPoint* point : order) {
    best = std::max(best, ratio_of(group, *point));
  }
  return best;
}

double random_pick_ratio(const JoinedGroup& group) {
  Values ratios;
  for (const JoinedPoint& point : group.points) {
    ratios.push_back(ratio_of(group, point));
  }
  return mean(ratios);
}

std::optional<double> config_ratio(const JoinedGroup& group, const std::string& config) {
  for (const JoinedPoint& point : group.points) {
    if (point.measured.point.config == config) {
      return ratio_of(group, point);
    }
  }
  for (const Measurement& fixed : group.fixed) {
    if (fixed.point.config == config) {
      return group.best_measured_time() / fixed.time->median;
    }
  }
  return std::nullopt;
}

FixedTiling fixed_tiling(const std::vector<JoinedGroup>& groups, const std::string& config) {
  FixedTiling fixed{config, {}};
  for (const JoinedGroup& group : groups) {
    const std::optional<double> ratio =
        can_pick(group) ? config_ratio(group, config) : std::nullopt;
    if (ratio) {
      fixed.ratios.push_back(*ratio);
    }
  }
  return fixed;
}

FixedTiling best_fixed_tiling(const std::vector<JoinedGroup>& groups) {
  std::map<std::string, Values> ratios;
  std::size_t most = 0, pickable = 0;
  for (const JoinedGroup& group : groups) {
    if (!can_pick(group)) {
      continue;
    }
    ++pickable;
    std::set<std::string> configs;
    for (const JoinedPoint& point : group.points) {
      configs.insert(point.measured.point.config);
    }
    for (const Measurement& fixed : group.fixed) {
      configs.insert(fixed.point.config);
    }
    for (const std::string& config : configs) {
      Values& own = ratios[config];
      own.push_back(*config_ratio(group, config));
      most = std::max(most, own.size());
    }
  }
  FixedTiling best;
  if (most * 2 < pickable) {
    return best;
  }
  double best_mean = 0;
  for (const auto& [config, own] : ratios) {
    const bool widespread =
        static_cast<double>(own.size()) >= kWidespread * static_cast<double>(most);
    if (widespread && geomean(own) > best_mean) {
      best_mean = geomean(own);
      best = {config, own};
    }
  }
  return best;
}

std::string fixed_config_of(const std::vector<MeasurementFile>& files,
                            const std::vector<std::string>& gpu_names,
                            const std::vector<MeasurementFile>& fixed) {
  const bool empty = std::all_of(files.begin(), files.end(),
                                 [](const MeasurementFile& file) { return file.rows.empty(); });
  if (empty) {
    return "";
  }
  const Predictor nothing = [](const AnyProblem&, const AnyConfig& config, Regime, Inputs) {
    Prediction prediction{};
    prediction.config = config;
    return prediction;
  };
  return best_fixed_tiling(join_points(files, nothing, gpu_names, {.fixed = fixed}).groups).config;
}

}  // namespace tilecast
