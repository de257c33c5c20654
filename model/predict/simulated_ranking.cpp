#include "model/predict/simulated_ranking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "model/base/parallel.h"
#include "model/predict/retime.h"

namespace tilecast {
namespace {

// Simulation and closed form of one kernel differ by a share of its time and by what they make of
// its ends. Beyond what those of its schedule differ by in the mean, at most so much.
constexpr double kShare = 0.05;
constexpr Seconds kEnds{4e-6};

/// Simulated over closed-form times in the geometric mean.
struct Scale {
  double logs = 0;
  int count = 0;

  void add(double ratio) {
    logs += std::log(ratio);
    ++count;
  }
  double mean() const { return count > 0 ? std::exp(logs / count) : 1; }
};

class Rounds {
 public:
  Rounds(const std::vector<SharedSimulation>& nominees, const std::vector<Prediction>& closed)
      : nominees_(nominees), closed_(closed), simulated_(nominees.size()) {}

  /// Nominees that could be first by what is known, the longest first so that no thread is left
  /// with one at the end.
  std::vector<std::size_t> next() const {
    std::vector<std::size_t> wanted;
    std::map<AnySchedule, int> asked;
    for (std::size_t i = 0; i < nominees_.size(); ++i) {
      const Prediction& p = candidate(i);
      const AnySchedule schedule = schedule_of(p.config);
      const bool known = by_schedule_.contains(schedule);
      // Where other schedules' simulations took longer than their closed forms, its own need not.
      const double mean = known ? scale(schedule) : std::min(1.0, scale());
      const Seconds least = p.time * (mean * (1 - kShare)) - kEnds;
      if (!simulated_[i] && least < best_ && (known || asked[schedule]++ == 0)) {
        wanted.push_back(i);
      }
    }
    std::ranges::stable_sort(wanted, std::greater<>{},
                             [&](std::size_t i) { return nominees_[i].length; });
    return wanted;
  }

  void add(std::size_t nominee, const Prediction& simulated) {
    const double ratio = simulated.time / candidate(nominee).time;
    all_.add(ratio);
    by_schedule_[schedule_of(simulated.config)].add(ratio);
    best_ = all_.count == 1 ? simulated.time : std::min(best_, simulated.time);
    simulated_[nominee] = simulated;
  }

  double scale() const { return all_.mean(); }
  double scale(const AnySchedule& schedule) const {
    const auto own = by_schedule_.find(schedule);
    return own == by_schedule_.end() ? all_.mean() : own->second.mean();
  }
  int count() const { return all_.count; }
  const std::optional<Prediction>& simulated(std::size_t nominee) const {
    return simulated_[nominee];
  }

 private:
  const Prediction& candidate(std::size_t nominee) const {
    return closed_[nominees_[nominee].candidates.front()];
  }

  const std::vector<SharedSimulation>& nominees_;
  const std::vector<Prediction>& closed_;
  std::vector<std::optional<Prediction>> simulated_;  // of each nominee
  Scale all_;
  std::map<AnySchedule, Scale> by_schedule_;
  Seconds best_ = closed_.front().time;  // of the simulated ones, once there are any
};

}  // namespace

void rank_simulated(const std::vector<SharedSimulation>& nominees, unsigned threads,
                    const std::function<Prediction(std::size_t)>& simulate, Ranking& ranking) {
  std::vector<Prediction>& all = ranking.predictions;
  Rounds rounds(nominees, all);
  for (std::vector<std::size_t> wanted = rounds.next(); !wanted.empty(); wanted = rounds.next()) {
    std::vector<Prediction> simulated(wanted.size());
    parallel_for(wanted.size(), threads, [&](std::size_t i) {
      simulated[i] = simulate(nominees[wanted[i]].candidates.front());
    });
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      rounds.add(wanted[i], simulated[i]);
    }
  }
  ranking.simulated = rounds.count();
  ranking.closed_form_scale = rounds.scale();
  std::vector<Prediction> ranked = all;
  for (Prediction& p : ranked) {
    stretch(rounds.scale(schedule_of(p.config)), p);
  }
  for (std::size_t i = 0; i < nominees.size(); ++i) {
    for (const std::size_t place : nominees[i].candidates) {
      if (const std::optional<Prediction>& p = rounds.simulated(i)) {
        ranked[place] = *p;
        ranked[place].config = all[place].config;
      }
    }
  }
  std::ranges::stable_sort(ranked, {}, &Prediction::time);
  all = std::move(ranked);
}

}  // namespace tilecast
