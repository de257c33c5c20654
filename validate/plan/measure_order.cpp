#include "validate/plan/measure_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

#include "model/base/shuffle.h"
#include "model/ops/any_op.h"
#include "validate/record/measurement.h"

namespace tilecast {
namespace {

/// Key of the preparation that points share.
std::string preparation_of(const Point& point) {
  return fmt::format("{} {} {}", to_text(op_of(point.problem)), to_text(point.problem),
                     to_text(point.inputs));
}

/// Key of the schedule or baseline that a configuration belongs to.
std::string schedule_of(const Point& point) {
  const std::string schedule =
      is_baseline(point.config) ? point.config : point.config.substr(0, point.config.find(':'));
  return fmt::format("{} {} {} {}", preparation_of(point), to_text(point.regime),
                     to_text(point.l2_state), schedule);
}

/// Groups in the order of their first points.
template <class KeyOf>
std::vector<std::vector<SuitePoint>> grouped(const std::vector<SuitePoint>& points,
                                             const KeyOf& key_of_point) {
  std::vector<std::vector<SuitePoint>> groups;
  std::map<std::string, std::size_t> place;
  for (const SuitePoint& point : points) {
    const auto [found, is_new] = place.try_emplace(key_of_point(point.point), groups.size());
    if (is_new) {
      groups.emplace_back();
    }
    groups[found->second].push_back(point);
  }
  return groups;
}

void append_shuffled(std::vector<SuitePoint>& all, std::vector<SuitePoint> group,
                     std::mt19937_64& random) {
  shuffle(group, random);
  all.insert(all.end(), group.begin(), group.end());
}

/// Estimates a duration from the regime's requirements, plus overheads that were observed on one
/// GPU.
Seconds guess(const SuitePoint& run, bool prepares,
              const std::function<Seconds(const Point&)>& kernel_time) {
  constexpr Seconds kBlock{45e-3}, kBurst{7e-3}, kAroundLoad{0.03}, kOther{0.02}, kPreparing{0.06};
  constexpr double kBlocks = 3, kLaunchesToCheck = 40, kAlgorithms = 16;
  if (!run.refusal.empty()) {
    return Seconds{1e-3};
  }
  const Seconds launch = kernel_time(run.point);
  const Seconds block = kBlock + std::max(Seconds{0}, launch - kBurst);
  Seconds all =
      kOther + (run.point.regime == Regime::kBurst ? block * kBlocks
                                                   : kLoadLength + kSustainedWindow + kAroundLoad);
  if (run.point.config == kCublasltBest) {
    all += block * kAlgorithms;
  }
  if (prepares) {
    all += kPreparing + launch * kLaunchesToCheck;
  }
  return all;
}

}  // namespace

std::vector<SuitePoint> in_problems(const std::vector<SuitePoint>& points) {
  std::vector<SuitePoint> all;
  for (const std::vector<SuitePoint>& group : grouped(points, preparation_of)) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

std::vector<SuitePoint> shuffled_in_problems(const std::vector<SuitePoint>& points, u64 seed) {
  std::mt19937_64 random(seed);
  std::vector<SuitePoint> all;
  for (std::vector<SuitePoint>& group : grouped(points, preparation_of)) {
    append_shuffled(all, std::move(group), random);
  }
  return all;
}

std::vector<SuitePoint> telling_first(const std::vector<SuitePoint>& points, u64 seed) {
  std::vector<std::vector<SuitePoint>> passes;
  std::map<std::string, std::size_t> seen;  // counts by schedule
  for (const SuitePoint& point : points) {
    const std::size_t pass = seen[schedule_of(point.point)]++;
    passes.resize(std::max(passes.size(), pass + 1));
    passes[pass].push_back(point);
  }
  std::mt19937_64 random(seed);
  std::vector<SuitePoint> all;
  for (const std::vector<SuitePoint>& pass : passes) {
    std::vector<std::vector<SuitePoint>> problems = grouped(pass, preparation_of);
    shuffle(problems, random);
    for (std::vector<SuitePoint>& problem : problems) {
      append_shuffled(all, std::move(problem), random);
    }
  }
  return all;
}

std::vector<SuitePoint> in_rounds(const std::vector<SuitePoint>& points, i64 rounds,
                                  const std::function<std::size_t(const Point&)>& done) {
  std::vector<SuitePoint> all;
  for (i64 round = 1; round <= rounds; ++round) {
    std::vector<SuitePoint> once;
    for (const SuitePoint& point : points) {
      if (static_cast<i64>(done(point.point)) < round) {
        once.push_back(point);
        once.back().round = rounds == 1 ? 0 : round;
      }
    }
    if (round % 2 == 0) {
      std::reverse(once.begin(), once.end());
    }
    all.insert(all.end(), once.begin(), once.end());
  }
  return all;
}

RunCosts::RunCosts(const std::vector<SuitePoint>& points,
                   const std::function<Seconds(const Point&)>& kernel_time) {
  std::vector<Seconds> guesses;
  std::string prepared;
  for (const SuitePoint& point : points) {
    const std::string preparation = preparation_of(point.point);
    guesses.push_back(guess(point, preparation != prepared, kernel_time));
    prepared = preparation;
    regimes_.push_back(point.point.regime);
  }
  for (const Regime regime : {Regime::kBurst, Regime::kSustained}) {
    std::vector<Seconds>& sums = by_regime_[regime].guessed_from;
    sums.assign(points.size() + 1, Seconds{0});
    for (std::size_t i = points.size(); i > 0; --i) {
      sums[i - 1] = sums[i] + (regimes_[i - 1] == regime ? guesses[i - 1] : Seconds{0});
    }
  }
}

Seconds RunCosts::expected(std::size_t index) const {
  const OfRegime& of = by_regime_.at(regimes_[index]);
  return (of.guessed_from[index] - of.guessed_from[index + 1]) * of.scale();
}

Seconds RunCosts::expected_from(std::size_t first) const {
  Seconds all{0};
  for (const auto& [regime, of] : by_regime_) {
    all += of.guessed_from[first] * of.scale();
  }
  return all;
}

void RunCosts::note(std::size_t index, Seconds took) {
  OfRegime& of = by_regime_.at(regimes_[index]);
  of.took += took;
  of.guessed += of.guessed_from[index] - of.guessed_from[index + 1];
}

}  // namespace tilecast
