#include "tests/random/properties.h"

#include <algorithm>

namespace tilecast {
namespace {

constexpr Property kProperties[] = {
    {"possible", "every prediction of a ranking could be true (why_impossible.h)", check_possible,
     30},
    {"unclamped", "no result has to be moved into its range", check_unclamped, 30},
    {"listed", "a listed configuration has the same prediction when it is asked for alone",
     check_listed_as_asked, 12},
    {"order", "like problems stand in their order, within tolerances or intervals", check_order, 8,
     10},
    {"schedules",
     "no schedule alone has a first faster than that of all by 4 %, or by its interval",
     check_schedules, 6, 10},
    {"menu",
     "what never pays (candidates.h) is not faster than the first by 2 % (closed forms: 5 %) or "
     "its interval",
     check_menu, 6, 4},
};

}  // namespace

std::span<const Property> every_property() { return kProperties; }

double allowed(const RandomProblem& problem, const Prediction& p, double tolerance) {
  return problem.gpu->learned ? std::max(tolerance, 1 - p.interval_low / p.time) : tolerance;
}

}  // namespace tilecast
