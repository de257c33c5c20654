#include "model/rank/objective.h"

#include <algorithm>

#include "model/base/words.h"
#include "model/rank/order_confidence.h"

namespace tilecast {
namespace {

constexpr Words<Objective, 2> kObjectives{
    {{Objective::kTime, "time"}, {Objective::kEnergy, "energy"}}};

}  // namespace

std::string_view to_text(Objective objective) { return word_of(kObjectives, objective); }
Objective parse_objective(std::string_view text) {
  return value_of(kObjectives, "objective", text);
}

Preference::Preference(const Ranking& ranking, const std::vector<Prediction>& all)
    : objective_(ranking.objective), regime_(ranking.regime) {
  const auto fastest = std::ranges::min_element(all, {}, &Prediction::time);
  fastest_ = fastest->time;
  method_ = fastest->method;
}

std::pair<bool, double> Preference::operator()(const Prediction& p) const {
  const bool rival = objective_ == Objective::kEnergy && p.method == method_ &&
                     too_close(p.time / fastest_ - 1, regime_);
  return {!rival, rival ? energy_of(p).value : p.time.value};
}

}  // namespace tilecast
