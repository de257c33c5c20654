// The order in which a run measures its points, and their expected cost. Needs no GPU.
//
// Without a budget, or with a sufficient one, points are measured problem by problem, because
// inputs and reference are prepared once per problem. Within a problem they are shuffled, so that
// no configuration always follows the same other one.
//
// If --budget is expected to run out, the most informative points come first. The first pass
// measures, for every problem, cuBLASLt and the first configuration of each schedule, in the order
// in which the suite lists or draws them (listed configurations, then the predicted best, then
// random ones). So wherever the budget ends, every problem has its baseline and every schedule one
// point. The second pass takes each schedule's second configuration, and so on. Within a pass
// problems are shuffled, so that no kind of problem is favoured.
//
// With rounds the whole order is repeated, every second time backwards: A B, B A, A B, so that slow
// drift affects both equally. Checked by: measure_order_test.cpp.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/base/integers.h"
#include "model/base/units.h"
#include "validate/plan/suite.h"

namespace tilecast {

/// Groups points by problem, in order of first appearance.
std::vector<SuitePoint> in_problems(const std::vector<SuitePoint>& points);
std::vector<SuitePoint> shuffled_in_problems(const std::vector<SuitePoint>& points, u64 seed);

/// Orders the most informative points first.
std::vector<SuitePoint> telling_first(const std::vector<SuitePoint>& points, u64 seed);

/// Repeats the points `rounds` times; if that is 1, once with round 0. `done(point)`: number of
/// existing rows; that many rounds of the point are omitted.
std::vector<SuitePoint> in_rounds(const std::vector<SuitePoint>& points, i64 rounds,
                                  const std::function<std::size_t(const Point&)>& done);

/// Expected duration of a run's points: an estimate that depends on the regime, scaled by the times
/// of finished points of that regime.
class RunCosts {
 public:
  /// `kernel_time` is a rough time of one launch.
  RunCosts(const std::vector<SuitePoint>& points,
           const std::function<Seconds(const Point&)>& kernel_time);

  Seconds expected(std::size_t index) const;
  /// Expected duration of the points from index `first` on.
  Seconds expected_from(std::size_t first) const;
  void note(std::size_t index, Seconds took);

 private:
  struct OfRegime {
    std::vector<Seconds> guessed_from;  // sum over this regime's points from each index on
    Seconds took, guessed;              // sums over the finished points
    double scale() const { return guessed > Seconds{0} ? took / guessed : 1; }
  };

  std::vector<Regime> regimes_;  // regime of each point
  std::map<Regime, OfRegime> by_regime_;
};

}  // namespace tilecast
