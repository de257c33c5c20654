#include "validate/calibrate/prior_rows.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "model/base/shuffle.h"
#include "model/ops/any_op.h"

namespace tilecast {
namespace {

constexpr u64 kSeed = 20261124;

/// The first word of the problem: its shape, without type, layout and epilogue.
std::string sides_of(const std::string& problem) { return problem.substr(0, problem.find(' ')); }

}  // namespace

PriorRows prior_rows(const LearnedModel& model, const LearnRows& own, std::size_t most) {
  std::set<std::tuple<std::string, std::string, Regime>> measured;
  std::map<std::string, int> groups;
  for (const LearnRow& row : own.rows) {
    const AnyProblem& problem = row.point.problem;
    measured.emplace(to_text(problem), row.point.config, row.point.regime);
    groups.emplace(shape_text(problem), row.group);
  }
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i + model.prior.rows < model.rows.size(); ++i) {
    const LearnedRow& row = model.rows[i];
    if (!measured.contains({row.problem, row.config, row.regime})) {
      places.push_back(i);
    }
  }
  std::mt19937_64 random(kSeed);
  shuffle(places, random);
  places.resize(std::min(places.size(), most));
  std::ranges::sort(places);
  PriorRows prior;
  for (const std::size_t place : places) {
    const LearnedRow& row = model.rows[place];
    const auto group = groups.find(sides_of(row.problem));
    prior.rows.push_back(&row);
    prior.place.push_back(place);
    prior.group.push_back(group == groups.end() ? -1 : group->second);
  }
  return prior;
}

}  // namespace tilecast
