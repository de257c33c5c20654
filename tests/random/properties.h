// What holds of every forecast, whatever the problem. A new property is a function and a row of
// every_property() (properties.cpp); the program random_problems and the daily test try all rows.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/random/random_problem.h"

namespace tilecast {

/// What a property found wrong with a problem: nothing, mostly.
using Violations = std::vector<std::string>;

constexpr std::size_t kListed = 20;

struct Property {
  std::string_view name;  // for random_problems --property
  std::string_view holds;
  /// `listed`: the problem's kListed fastest, ranked once for all properties.
  Violations (*check)(const RandomProblem& problem, const Ranking& listed);
  int daily;      // problems that the daily test tries
  int every = 1;  // a long run tries one in so many: the others are cheap
};

std::span<const Property> every_property();

/// Part of its time by which another forecast may be faster than `p` against the order of the two:
/// `tolerance`, or the 90 % interval of `p` where something was learned and that is wider. Two
/// firsts then lean on different measured kernels, and promise no more than their intervals.
double allowed(const RandomProblem& problem, const Prediction& p, double tolerance);

// answers.cpp: of one answer.
Violations check_possible(const RandomProblem& problem, const Ranking& listed);
Violations check_unclamped(const RandomProblem& problem, const Ranking& listed);
Violations check_listed_as_asked(const RandomProblem& problem, const Ranking& listed);
// order.cpp: of like problems.
Violations check_order(const RandomProblem& problem, const Ranking& listed);
// choice.cpp: of what is first among all candidates.
Violations check_schedules(const RandomProblem& problem, const Ranking& listed);
Violations check_menu(const RandomProblem& problem, const Ranking& listed);

}  // namespace tilecast
