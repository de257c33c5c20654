// In which order a run takes its points, and what each is expected to cost. Needs no GPU.
//
// Without a budget, or where it is expected to reach: problem by problem, since what a problem
// needs (inputs, reference) is prepared once, and inside a problem in a shuffled order, so that no
// configuration always follows the same one.
//
// Where --budget is expected not to reach, what tells most comes first. The first pass takes, on
// every problem, cuBLASLt and the first configuration of each schedule in the order in which the
// suite lists or draws them (its own texts, then the predicted best, then random ones): whatever
// the budget then cuts off, every problem has its baseline and every schedule one point. The second
// pass takes each schedule's second configuration, and so on. In each pass the problems come in a
// shuffled order, so that no kind of problem is left out in favour of those that stand first.
//
// With rounds the whole order is repeated, every second time backwards: A B, B A, A B. What drifts
// slowly then costs both the same. Checked by: measure_order_test.cpp.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "model/base/integers.h"
#include "model/base/units.h"
#include "validate/plan/suite.h"

namespace tilecast {

struct RunPoint {
  Point point;
  std::string refusal;  // why it is not tried; empty where it is
  std::string drawn;
  i64 round = 0;  // from 1; 0 where there is only one
};

/// Problem by problem, in the order in which they first stand.
std::vector<SuitePoint> in_problems(const std::vector<SuitePoint>& points);
std::vector<SuitePoint> shuffled_in_problems(const std::vector<SuitePoint>& points, u64 seed);

/// What tells most first.
std::vector<SuitePoint> telling_first(const std::vector<SuitePoint>& points, u64 seed);

/// `rounds` times the points, or once with round 0 where that is 1. `done(point)` says how many
/// rows there are already; that many rounds of the point are left out.
std::vector<RunPoint> in_rounds(const std::vector<SuitePoint>& points, i64 rounds,
                                const std::function<std::size_t(const Point&)>& done);

/// Expected wall time of the points of a run: a guess from what the regime asks for, scaled by what
/// the points of that regime have taken so far.
class RunCosts {
 public:
  /// `kernel_time` is a rough time of one launch.
  RunCosts(const std::vector<RunPoint>& points,
           const std::function<Seconds(const Point&)>& kernel_time);

  Seconds expected(std::size_t index) const;
  /// Of the points from `first` on.
  Seconds expected_from(std::size_t first) const;
  void note(std::size_t index, Seconds took);

 private:
  struct OfRegime {
    std::vector<Seconds> guessed_from;  // of this regime's points, from each index on
    Seconds took, guessed;              // of the noted ones
    double scale() const { return guessed > Seconds{0} ? took / guessed : 1; }
  };

  std::vector<Regime> regimes_;  // of each point
  std::map<Regime, OfRegime> by_regime_;
};

}  // namespace tilecast
