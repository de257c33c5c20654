#include "tests/random/properties.h"

#include <algorithm>

namespace tilecast {
namespace {

constexpr Property kProperties[] = {
    {"possible", "every prediction of a ranking is physically possible (why_impossible.h)",
     check_possible, 30},
    {"unclamped", "no result is clamped to its range", check_unclamped, 30},
    {"listed", "a listed configuration has the same prediction when predicted alone",
     check_listed_as_asked, 12},
    {"order", "similar problems are ordered, within tolerances or intervals", check_order, 8, 10},
    {"schedules", "no schedule alone beats the ranking of all by more than 4 %, or its interval",
     check_schedules, 6, 10},
    {"menu",
     "no dominated candidate (candidates.h) beats the first by more than 2.5 % (analytic model: "
     "5 %), or its interval",
     check_menu, 6, 4},
};

}  // namespace

std::span<const Property> every_property() { return kProperties; }

double allowed(const RandomProblem& problem, const Prediction& p, double tolerance) {
  return problem.gpu->learned ? std::max(tolerance, 1 - p.interval_low / p.time) : tolerance;
}

}  // namespace tilecast
