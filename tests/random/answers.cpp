#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "model/predict/predict_op.h"
#include "tests/random/properties.h"

namespace tilecast {
namespace {

constexpr std::size_t kAsked = 4;  // number of listed configurations that are predicted separately

}  // namespace

Violations check_possible(const RandomProblem& problem, const Ranking& listed) {
  Violations violations;
  const LeastWork least =
      std::visit([&](const auto& own) { return least_work(*problem.gpu, own); }, problem.problem);
  for (const Prediction& p : listed.predictions) {
    if (const std::string why = why_impossible(*problem.gpu, least, p); !why.empty()) {
      violations.push_back(to_text(p.config) + ": " + why);
    }
  }
  return violations;
}

Violations check_unclamped(const RandomProblem&, const Ranking& listed) {
  Violations violations;
  for (const Prediction& p : listed.predictions) {
    for (const std::string_view what : p.clamped) {
      violations.push_back(
          fmt::format("{} of {} was clamped: {} us", what, to_text(p.config), p.time.value * 1e6));
    }
  }
  return violations;
}

Violations check_listed_as_asked(const RandomProblem& problem, const Ranking& listed) {
  Violations violations;
  for (const Prediction& p :
       std::span(listed.predictions).first(std::min(kAsked, listed.predictions.size()))) {
    if (p.method != problem.method) {
      continue;  // listed with another method than the separate prediction requests
    }
    const Prediction alone = predict_config(*problem.gpu, problem.problem, p.config, problem.regime,
                                            problem.inputs, problem.method);
    if (alone.time != p.time || alone.sm_clock != p.sm_clock || alone.dram_read != p.dram_read) {
      violations.push_back(fmt::format("{}: listed at {} us, alone {} us", to_text(p.config),
                                       p.time.value * 1e6, alone.time.value * 1e6));
    }
  }
  return violations;
}

}  // namespace tilecast
