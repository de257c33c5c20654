#include "model/rank/simulated_ranking.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <condition_variable>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <set>
#include <stop_token>
#include <utility>

#include "model/base/parallel.h"
#include "model/rank/objective.h"
#include "model/rank/retime.h"

namespace tilecast {
namespace {

// Simulated and analytic times differ by a fraction of the kernel's time and by a constant for its
// ends. In addition to a schedule's mean difference, at most this fraction is allowed for. Twice
// this value would simulate 9 kernels of 4096^3 instead of 6 and gain 0.02 % in the top picks of
// 200 problems.
constexpr double kShare = 0.01;
constexpr Seconds kEnds{0.5e-6};

/// Geometric mean of simulated time / analytic time.
struct Scale {
  double logs = 0;
  int count = 0;

  void add(double ratio) {
    logs += std::log(ratio);
    ++count;
  }
  double mean() const { return count > 0 ? std::exp(logs / count) : 1; }
  /// A lower estimate of the ratio. If the mean exceeds 1, one more ratio of 1 is included, because
  /// the first kernels that are simulated do not represent all of a schedule.
  double cautious() const { return std::exp(logs / (logs > 0 ? count + 1 : count)); }
};

using ScheduleAndTile = std::pair<AnySchedule, std::array<i32, 3>>;

ScheduleAndTile schedule_and_tile(const AnyConfig& config) {
  return {schedule_of(config), tile_of(config)};
}

class Rounds {
 public:
  Rounds(std::vector<SharedSimulation> nominees, const std::vector<Prediction>& closed,
         double most_length)
      : nominees_(std::move(nominees)),
        closed_(&closed),
        most_length_(most_length),
        first_late_(nominees_.size()),
        simulated_(nominees_.size()) {}

  void nominate(SharedSimulation late) {
    nominees_.push_back(std::move(late));
    simulated_.emplace_back();
  }

  /// Index of the candidate that represents a nominee.
  std::size_t place(std::size_t nominee) const { return nominees_[nominee].candidates.front(); }
  Seconds closed_time(std::size_t nominee) const { return candidate(nominee).time; }

  /// Nominees that could still be first, if the first takes `slack` times as long as is known,
  /// longest first so that threads finish together; of a schedule without a simulation
  /// `of_unknown`. Those that would exceed the total length are omitted, the least promising first,
  /// but never the only one.
  std::vector<std::size_t> next(int of_unknown = 1, double slack = 1) const {
    std::vector<std::size_t> wanted;
    std::map<AnySchedule, int> asked;
    for (std::size_t i = first_late_; i < nominees_.size(); ++i) {
      if (!simulated_[i]) {
        return {i};
      }
    }
    for (std::size_t i = 0; i < nominees_.size(); ++i) {
      const Prediction& p = candidate(i);
      const AnySchedule schedule = schedule_of(p.config);
      const bool known = by_schedule_.contains(schedule);
      // If other schedules' simulations exceed their analytic times, this schedule's simulations
      // may not.
      const double mean = known ? by_schedule_.at(schedule).cautious() : std::min(1.0, scale());
      const Seconds least = p.time * (mean * (1 - kShare)) - kEnds;
      if (!simulated_[i] && least < best_ * slack && (known || asked[schedule]++ < of_unknown)) {
        wanted.push_back(i);
      }
    }
    std::ranges::stable_sort(wanted, {}, [&](std::size_t i) { return candidate(i).time; });
    double length = length_;
    std::erase_if(wanted, [&](std::size_t i) {
      const double longer = length + nominees_[i].length;
      const bool too_long = length > 0 && longer > most_length_;
      length = too_long ? length : longer;
      return too_long;
    });
    std::ranges::stable_sort(wanted, std::greater<>{},
                             [&](std::size_t i) { return nominees_[i].length; });
    return wanted;
  }

  void add(std::size_t nominee, const Prediction& simulated) {
    const double ratio = simulated.time / candidate(nominee).time;
    all_.add(ratio);
    by_schedule_[schedule_of(simulated.config)].add(ratio);
    by_tile_[schedule_and_tile(simulated.config)].add(ratio);
    best_ = all_.count == 1 ? simulated.time : std::min(best_, simulated.time);
    length_ += nominees_[nominee].length;
    simulated_[nominee] = simulated;
  }

  double scale() const { return all_.mean(); }
  double scale(const AnyConfig& config) const {
    const auto tile = by_tile_.find(schedule_and_tile(config));
    const auto schedule = by_schedule_.find(schedule_of(config));
    return tile != by_tile_.end()           ? tile->second.mean()
           : schedule != by_schedule_.end() ? schedule->second.mean()
                                            : scale();
  }
  int count() const { return all_.count; }
  double length() const { return length_; }

  /// Returns, for each candidate, the simulation that represents it, if any.
  std::vector<std::optional<std::size_t>> shared() const {
    std::vector<std::optional<std::size_t>> all(closed_->size());
    for (std::size_t i = 0; i < nominees_.size(); ++i) {
      for (const std::size_t place : nominees_[i].candidates) {
        all[place] = simulated_[i] ? std::optional(i) : std::nullopt;
      }
    }
    return all;
  }

  /// Returns the prediction of each candidate by index: the simulated one if it exists, else the
  /// scaled analytic one.
  std::vector<Prediction> predictions() const {
    std::vector<Prediction> all = *closed_;
    for (Prediction& p : all) {
      stretch(scale(p.config), p);
    }
    for (std::size_t i = 0; i < nominees_.size(); ++i) {
      for (const std::size_t place : nominees_[i].candidates) {
        if (const std::optional<Prediction>& p = simulated_[i]) {
          all[place] = *p;
          all[place].config = (*closed_)[place].config;
        }
      }
    }
    return all;
  }

 private:
  const Prediction& candidate(std::size_t nominee) const { return (*closed_)[place(nominee)]; }

  std::vector<SharedSimulation> nominees_;
  const std::vector<Prediction>* closed_;
  double most_length_, length_ = 0;  // of all simulations, and so far
  std::size_t first_late_;           // nominees from here on came first without a simulation
  std::vector<std::optional<Prediction>> simulated_;  // simulated prediction of each nominee
  Scale all_;
  std::map<AnySchedule, Scale> by_schedule_;
  std::map<ScheduleAndTile, Scale> by_tile_;
  Seconds best_ =
      closed_->front()
          .time;  // best simulated time, or best analytic time before the first simulation
};

/// Simulates round after round on several threads. An idle thread speculates: it simulates the most
/// likely nominees of the next round. Speculation changes when a nominee is simulated, but not the
/// result. At the end speculative work that is still running is stopped.
class RoundRunner {
 public:
  /// `nominate` adds the leading candidate to the rounds if it has not been simulated.
  RoundRunner(Rounds& rounds, const std::function<bool()>& nominate,
              const std::function<Prediction(std::size_t)>& simulate)
      : rounds_(rounds), nominate_(nominate), simulate_(simulate) {}

  void run(unsigned threads) {
    parallel_for(processor_count(), threads, [&](std::size_t) { work(); });
  }

 private:
  void work() {
    std::unique_lock lock(noting_);
    try {
      while (goes_on()) {
        throw_if_stopped();
        if (const std::optional<std::size_t> nominee = next()) {
          simulate(*nominee, lock);
          noted_.notify_all();
        } else {
          noted_.wait(lock);
        }
      }
    } catch (...) {  // another thread reports the same error, or has enough memory
      noted_.notify_all();
      throw;
    }
    noted_.notify_all();
  }

  void simulate(std::size_t nominee, std::unique_lock<std::mutex>& lock) {
    begun_.insert(nominee);
    const std::size_t place = rounds_.place(nominee);
    const bool speculative = std::ranges::find(wanted_, nominee) == wanted_.end();
    try {
      lock.unlock();
      std::optional<StopScope> until_done;
      if (speculative) {
        until_done.emplace(is_done_.get_token());
      }
      Prediction simulated = simulate_(place);
      lock.lock();
      simulated_.emplace(nominee, std::move(simulated));
    } catch (const Stopped&) {
      lock.lock();
      begun_.erase(nominee);
      if (!speculative || !done_) {
        throw;
      }
    } catch (...) {
      if (!lock.owns_lock()) {
        lock.lock();
      }
      begun_.erase(nominee);
      throw;
    }
  }

  std::optional<std::size_t> next() const {
    const auto first_of = [&](const std::vector<std::size_t>& nominees) {
      const auto found = std::ranges::find_if(
          nominees, [&](std::size_t nominee) { return !begun_.contains(nominee); });
      return found != nominees.end() ? std::optional(*found) : std::nullopt;
    };
    const auto fastest_of = [&](std::vector<std::size_t> nominees) {
      std::ranges::stable_sort(nominees, {},
                               [&](std::size_t nominee) { return rounds_.closed_time(nominee); });
      return first_of(nominees);
    };
    if (const std::optional<std::size_t> wanted = first_of(wanted_)) {
      return wanted;
    }
    Rounds known = rounds_;
    for (const std::size_t nominee : wanted_) {
      if (const auto own = simulated_.find(nominee); own != simulated_.end()) {
        known.add(nominee, own->second);
      }
    }
    constexpr int kGuessed = 2;
    constexpr double kSlack = 1.01;  // the first simulations may exceed their analytic times
    const std::optional<std::size_t> likely = fastest_of(known.next(1, kSlack));
    return likely ? likely : fastest_of(known.next(kGuessed, kSlack));
  }

  /// Once all of this round is simulated, starts the next round; returns whether there is one.
  /// Strong exception guarantee for bad_alloc.
  bool goes_on() {
    const auto is_simulated = [&](std::size_t nominee) { return simulated_.contains(nominee); };
    while (!done_ && std::ranges::all_of(wanted_, is_simulated)) {
      Rounds after = rounds_;
      for (const std::size_t nominee : wanted_) {
        after.add(nominee, simulated_.at(nominee));
      }
      std::vector<std::size_t> wanted = after.next();
      rounds_ = std::move(after);
      wanted_ = std::move(wanted);
      done_ = wanted_.empty() && !nominate_();
    }
    if (done_) {
      is_done_.request_stop();
    }
    return !done_;
  }

  Rounds& rounds_;
  const std::function<bool()>& nominate_;
  const std::function<Prediction(std::size_t)>& simulate_;
  std::mutex noting_;  // guards all members below
  std::condition_variable noted_;
  std::vector<std::size_t> wanted_;              // nominees that this round requests
  std::set<std::size_t> begun_;                  // nominees, requested or speculative
  std::map<std::size_t, Prediction> simulated_;  // finished nominees
  bool done_ = false;
  std::stop_source is_done_;
};

/// Ranks all candidates by the ranking's objective, and gives the reported ones individual
/// predictions.
class OwnAnswers {
 public:
  OwnAnswers(const Ranking& ranking, const Rounds& rounds,
             const std::function<Prediction(std::size_t)>& simulate,
             std::vector<Prediction> by_place)
      : ranking_(ranking),
        simulate_(simulate),
        by_place_(std::move(by_place)),
        shared_(rounds.shared()),
        own_(by_place_.size()),
        order_(by_place_.size()) {
    for (std::size_t place = 0; place < shared_.size(); ++place) {
      own_[place] = !shared_[place] || rounds.place(*shared_[place]) == place;
    }
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    sort();
  }

  void show(std::size_t keep) {
    for (std::size_t i = 0; i < std::min(keep, order_.size());) {
      i = make_own(order_[i]) ? 0 : i + 1;
    }
  }

  /// Finds the next kernel with another simulation and another time, if the first one was
  /// simulated.
  std::optional<Prediction> next_simulated() {
    for (std::size_t i = 1; i < order_.size(); ++i) {
      const std::optional<std::size_t> first = shared_[order_.front()], own = shared_[order_[i]];
      if (first && own && first != own &&
          by_place_[order_.front()].time < by_place_[order_[i]].time) {
        return by_place_[order_[i]];
      }
    }
    return std::nullopt;
  }

  std::vector<Prediction> take() {
    std::vector<Prediction> sorted;
    for (const std::size_t place : order_) {
      sorted.push_back(std::move(by_place_[place]));
    }
    return sorted;
  }

 private:
  void sort() {
    const Preference preference(ranking_, by_place_);
    std::ranges::stable_sort(order_, {},
                             [&](std::size_t place) { return preference(by_place_[place]); });
  }

  /// Gives a candidate its individual prediction; returns whether it shared another's before.
  bool make_own(std::size_t place) {
    if (own_[place]) {
      return false;
    }
    by_place_[place] = simulate_(place);
    own_[place] = true;
    sort();
    return true;
  }

  const Ranking& ranking_;
  const std::function<Prediction(std::size_t)>& simulate_;
  std::vector<Prediction> by_place_;
  std::vector<std::optional<std::size_t>> shared_;  // index of each candidate's simulation
  std::vector<bool> own_;
  std::vector<std::size_t> order_;
};

}  // namespace

double rank_simulated(std::vector<SharedSimulation> nominees, unsigned threads,
                      const std::function<std::optional<SharedSimulation>(std::size_t)>& nominate,
                      const std::function<Prediction(std::size_t)>& simulate, Ranking& ranking,
                      std::size_t keep, double most_length) {
  Rounds rounds(std::move(nominees), ranking.predictions, most_length);
  std::vector<Prediction> ranked;
  const auto nominate_first = [&] {
    ranked = rounds.predictions();
    const auto first = std::ranges::min_element(ranked, {}, &Prediction::time);
    if (first->method == Method::kSimulated) {
      return false;
    }
    std::optional<SharedSimulation> late =
        nominate(static_cast<std::size_t>(first - ranked.begin()));
    if (!late) {
      return false;
    }
    rounds.nominate(*std::move(late));
    return true;
  };
  RoundRunner(rounds, nominate_first, simulate).run(threads);
  for (Prediction& p : ranking.by_tile) {
    stretch(rounds.scale(p.config), p);
  }
  ranking.simulated = rounds.count();
  ranking.closed_form_scale = rounds.scale();
  OwnAnswers answers(ranking, rounds, simulate, std::move(ranked));
  answers.show(keep);
  ranking.next_simulated = answers.next_simulated();
  ranking.predictions = answers.take();
  return rounds.length();
}

}  // namespace tilecast
