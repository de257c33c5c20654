#include "model/predict/simulated_ranking.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "model/base/parallel.h"
#include "model/predict/retime.h"

namespace tilecast {
namespace {

// Simulation and closed form of one kernel differ by a share of its time and by what they make of
// its ends. Beyond what those of its schedule differ by in the mean, at most so much.
constexpr double kShare = 0.04;
constexpr Seconds kEnds{2e-6};

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
  Rounds(std::vector<SharedSimulation> nominees, const std::vector<Prediction>& closed)
      : nominees_(std::move(nominees)), closed_(closed), simulated_(nominees_.size()) {}

  void nominate(SharedSimulation late) {
    nominees_.push_back(std::move(late));
    simulated_.emplace_back();
  }

  /// The candidate that stands for a nominee.
  std::size_t place(std::size_t nominee) const { return nominees_[nominee].candidates.front(); }

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

  /// All candidates by what is known, each at its place.
  std::vector<Prediction> predictions() const {
    std::vector<Prediction> all = closed_;
    for (Prediction& p : all) {
      stretch(scale(schedule_of(p.config)), p);
    }
    for (std::size_t i = 0; i < nominees_.size(); ++i) {
      for (const std::size_t place : nominees_[i].candidates) {
        if (const std::optional<Prediction>& p = simulated_[i]) {
          all[place] = *p;
          all[place].config = closed_[place].config;
        }
      }
    }
    return all;
  }

 private:
  const Prediction& candidate(std::size_t nominee) const { return closed_[place(nominee)]; }

  std::vector<SharedSimulation> nominees_;
  const std::vector<Prediction>& closed_;
  std::vector<std::optional<Prediction>> simulated_;  // of each nominee
  Scale all_;
  std::map<AnySchedule, Scale> by_schedule_;
  Seconds best_ = closed_.front().time;  // of the simulated ones, once there are any
};

/// What was simulated of the nominees, asked for or not.
class Simulations {
 public:
  Simulations(unsigned threads, const std::function<Prediction(std::size_t)>& simulate)
      : threads_(threads), simulate_(simulate) {}

  /// Those of one round. A thread that finds none left begins with what the next round most likely
  /// asks for, by what is known until then: that changes when it is simulated, not what counts.
  std::vector<Prediction> of_round(const Rounds& rounds, const std::vector<std::size_t>& wanted) {
    std::vector<std::size_t> missing;
    std::ranges::copy_if(wanted, std::back_inserter(missing),
                         [&](std::size_t nominee) { return !simulated_.contains(nominee); });
    std::set<std::size_t> begun(missing.begin(), missing.end());
    std::size_t left = missing.size();
    std::mutex noting;  // of all these
    const auto run = [&](std::size_t nominee) {
      const Prediction p = simulate_(rounds.place(nominee));
      const std::lock_guard lock(noting);
      simulated_.emplace(nominee, p);
    };
    const auto likely_next = [&]() -> std::optional<std::size_t> {
      const std::lock_guard lock(noting);
      if (left == 0) {
        return std::nullopt;
      }
      Rounds known = rounds;
      for (const std::size_t nominee : wanted) {
        if (const auto own = simulated_.find(nominee); own != simulated_.end()) {
          known.add(nominee, own->second);
        }
      }
      for (const std::size_t nominee : known.next()) {
        if (!simulated_.contains(nominee) && begun.insert(nominee).second) {
          return nominee;
        }
      }
      return std::nullopt;
    };
    const std::size_t more =
        missing.empty()
            ? 0
            : (threads_ == 0 ? processor_count() : std::min(threads_, processor_count())) - 1;
    parallel_for(missing.size() + more, threads_, [&](std::size_t i) {
      if (i < missing.size()) {
        run(missing[i]);
        const std::lock_guard lock(noting);
        --left;
        return;
      }
      while (const std::optional<std::size_t> nominee = likely_next()) {
        run(*nominee);
      }
    });
    std::vector<Prediction> of_wanted;
    for (const std::size_t nominee : wanted) {
      of_wanted.push_back(simulated_.at(nominee));
    }
    return of_wanted;
  }

 private:
  unsigned threads_;
  const std::function<Prediction(std::size_t)>& simulate_;
  std::map<std::size_t, Prediction> simulated_;  // by nominee
};

}  // namespace

void rank_simulated(std::vector<SharedSimulation> nominees, unsigned threads,
                    const std::function<std::optional<SharedSimulation>(std::size_t)>& nominate,
                    const std::function<Prediction(std::size_t)>& simulate, Ranking& ranking) {
  Rounds rounds(std::move(nominees), ranking.predictions);
  Simulations simulations(threads, simulate);
  std::vector<Prediction> ranked;
  for (;;) {
    for (std::vector<std::size_t> wanted = rounds.next(); !wanted.empty(); wanted = rounds.next()) {
      const std::vector<Prediction> simulated = simulations.of_round(rounds, wanted);
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        rounds.add(wanted[i], simulated[i]);
      }
    }
    ranked = rounds.predictions();
    const auto first = std::ranges::min_element(ranked, {}, &Prediction::time);
    if (first->method == Method::kSimulated) {
      break;
    }
    std::optional<SharedSimulation> late =
        nominate(static_cast<std::size_t>(first - ranked.begin()));
    if (!late) {
      break;
    }
    rounds.nominate(*std::move(late));
  }
  ranking.simulated = rounds.count();
  ranking.closed_form_scale = rounds.scale();
  std::ranges::stable_sort(ranked, {}, &Prediction::time);
  const auto next = std::ranges::find_if(ranked, [&](const Prediction& p) {
    return p.method == Method::kSimulated && ranked.front().time < p.time;
  });
  if (next != ranked.end() && ranked.front().method == Method::kSimulated) {
    ranking.next_simulated = *next;
  }
  ranking.predictions = std::move(ranked);
}

}  // namespace tilecast
