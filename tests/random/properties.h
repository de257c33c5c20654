// Properties that hold for every forecast, on any problem. A new property is a function and a row
// of every_property() (properties.cpp); the program random_problems and the daily test check all
// rows.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/random/random_problem.h"

namespace tilecast {

/// Violations of a property by a problem, usually none.
using Violations = std::vector<std::string>;

constexpr std::size_t kListed = 20;

struct Property {
  std::string_view name;  // for random_problems --property
  std::string_view holds;
  /// `listed`: the problem's kListed fastest, ranked once for all properties.
  Violations (*check)(const RandomProblem& problem, const Ranking& listed);
  int daily;      // problems per daily test
  int every = 1;  // a long run checks only one problem in `every`, if the property is expensive
};

std::span<const Property> every_property();

/// Fraction of its time by which another forecast may beat `p` although it should not: `tolerance`;
/// or, if there is a learned correction, the 90 % interval of `p` if that is wider, because the two
/// forecasts then depend on different measured kernels.
double allowed(const RandomProblem& problem, const Prediction& p, double tolerance);

// Properties of one prediction (answers.cpp).
Violations check_possible(const RandomProblem& problem, const Ranking& listed);
Violations check_unclamped(const RandomProblem& problem, const Ranking& listed);
Violations check_listed_as_asked(const RandomProblem& problem, const Ranking& listed);
// Order of similar problems (order.cpp).
Violations check_order(const RandomProblem& problem, const Ranking& listed);
// First of all candidates (choice.cpp).
Violations check_schedules(const RandomProblem& problem, const Ranking& listed);
Violations check_menu(const RandomProblem& problem, const Ranking& listed);

}  // namespace tilecast
