#include "validate/compare/screen.h"

#include <algorithm>

namespace tilecast {
namespace {

constexpr std::size_t kLeastConfigs = 8;
constexpr std::size_t kKeep = 64;  // of a ranking; those that are simulated come first
constexpr double kAsGood = 1.01;

bool counts(const JoinedGroup& group) {
  return std::holds_alternative<GemmProblem>(group.problem) && group.regime == Regime::kBurst &&
         group.inputs == Inputs::kNormal && group.points.size() >= kLeastConfigs;
}

}  // namespace

Screen screen_of(const GpuSpec& gpu, const std::vector<JoinedGroup>& groups, const Effort& effort) {
  Screen screen;
  for (const JoinedGroup& group : groups) {
    if (!counts(group)) {
      continue;
    }
    const Ranking ranking =
        rank_candidates(gpu, group.problem, {}, group.regime, group.inputs, kKeep, effort);
    const Seconds least = group.best_measured_time() * kAsGood;
    const auto is_simulated = [&](const JoinedPoint& point) {
      return point.measured_time() <= least &&
             std::ranges::any_of(ranking.predictions, [&](const Prediction& p) {
               return p.method == Method::kSimulated && p.config == point.predicted.config;
             });
    };
    ++screen.problems;
    screen.held += std::ranges::any_of(group.points, is_simulated) ? 1 : 0;
    screen.simulated += static_cast<std::size_t>(ranking.simulated);
  }
  return screen;
}

}  // namespace tilecast
