#include <fmt/format.h>

#include "model/base/error.h"
#include "model/gemm/menu/candidates.h"
#include "tests/random/properties.h"

namespace tilecast {

Violations check_schedules(const RandomProblem& problem, const Ranking&) {
  constexpr double kTolerance = 0.04;  // tolerance of the analytic model, in simulated_ranking.cpp
  if (!problem.is_plain()) {
    return {};
  }
  const RandomProblem plain = plain_problem(problem.gemm()->shape);
  const Prediction best = plain.first();
  Violations violations;
  for (const Schedule schedule : menu_schedules(*plain.gpu)) {
    try {
      const Prediction alone =
          rank_candidates(*plain.gpu, plain.problem, {schedule}, plain.regime, plain.inputs, 1,
                          {.method = plain.method, .threads = 1})
              .predictions.front();
      if (alone.time < best.time * (1 - allowed(plain, best, kTolerance))) {
        violations.push_back(fmt::format("{} {} us, fastest of all {} {} us", to_text(alone.config),
                                         alone.time.value * 1e6, to_text(best.config),
                                         best.time.value * 1e6));
      }
    } catch (const ConfigError&) {  // the schedule has no kernel for the problem
    }
  }
  return violations;
}

Violations check_menu(const RandomProblem& problem, const Ranking& listed) {
  if (problem.gemm() == nullptr) {
    return {};
  }
  const double tolerance = problem.method == Method::kSimulated ? 0.025 : 0.05;
  const Prediction& usual = listed.predictions.front();
  const std::vector<AnySchedule> menu = menu_schedules(*problem.gpu, Op::kGemm);
  const Prediction of_all =
      rank_candidates(*problem.gpu, problem.problem, menu, problem.regime, problem.inputs, 1,
                      {.method = problem.method, .threads = 1, .whole_menu = true})
          .predictions.front();
  if (of_all.time > usual.time * (1 - allowed(problem, usual, tolerance))) {
    return {};
  }
  return {fmt::format("{} {} us, without dominated candidates {} {} us", to_text(of_all.config),
                      of_all.time.value * 1e6, to_text(usual.config), usual.time.value * 1e6)};
}

}  // namespace tilecast
