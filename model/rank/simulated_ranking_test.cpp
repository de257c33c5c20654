#include "model/rank/simulated_ranking.h"

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <thread>

#include "model/base/error.h"
#include "model/base/parallel.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"

namespace tilecast {
namespace {

/// Returns an analytic ranking of one schedule's kernels, by time in microseconds; `stages`
/// identifies them.
Ranking by_closed_form(const std::vector<double>& times) {
  Ranking ranking{};
  for (std::size_t i = 0; i < times.size(); ++i) {
    KernelConfig config = gemm_config("pi 128x128x64 s2 w2x1 c1x1 o1 i1 e2 m8");
    config.tiling.stages = 2 + static_cast<i32>(i);
    Prediction p{.config = config, .method = Method::kAnalytic};
    p.cycles = Cycles{times[i] * 1e3};
    p.sm_clock = Hertz{1e9};
    p.time = p.interval_low = p.interval_high = p.closed_form_time = Seconds{times[i] * 1e-6};
    ranking.predictions.push_back(p);
  }
  return ranking;
}

/// Simulated times by index, in microseconds; counts the simulations of each candidate.
struct Simulations {
  const Ranking& closed;
  std::map<std::size_t, double> times;
  std::map<std::size_t, int> calls = {};

  Prediction operator()(std::size_t place) {
    ++calls[place];
    Prediction p = closed.predictions[place];
    p.method = Method::kSimulated;
    p.time = Seconds{times.at(place) * 1e-6};
    return p;
  }
};

// Candidates 0 and 2 are nominated and take 1.3 and 1.1 times their analytic times: 6.5 and 6.16
// us. Scaled by the geometric mean, 1.196, candidate 1 comes first with 6.04 us.
const std::vector<double> kClosed{5, 5.05, 5.6, 5.075};
const std::map<std::size_t, double> kSimulated{{0, 6.5}, {1, 6.25}, {2, 6.16}};

TEST_CASE(
    "A candidate that comes first by its schedule's ratio is simulated, with all that share its "
    "simulation") {
  Ranking ranking = by_closed_form(kClosed);
  const Ranking closed = ranking;
  Simulations simulate{closed, kSimulated};
  rank_simulated(
      {{{0}, 1}, {{2}, 1}}, 1,
      [](std::size_t place) {
        CHECK(place == 1);
        return SharedSimulation{{1, 3}, 1};
      },
      [&](std::size_t place) { return simulate(place); }, ranking);
  CHECK(ranking.predictions.front().method == Method::kSimulated);
  CHECK(ranking.predictions.front().config == closed.predictions[2].config);
  CHECK(ranking.simulated == 3);
  CHECK(simulate.calls == std::map<std::size_t, int>{{0, 1}, {1, 1}, {2, 1}});
  // The ranked times are 6.16, 6.25, 6.25 and 6.5 us.
  CHECK(ranking.predictions[1].time.value == Approx(6.25e-6));
  CHECK(ranking.predictions[2].time.value == Approx(6.25e-6));
  CHECK(ranking.predictions[2].config == closed.predictions[3].config);
  CHECK(ranking.predictions[2].method == Method::kSimulated);
}

TEST_CASE("A candidate that cannot be simulated may come first by its analytic time") {
  Ranking ranking = by_closed_form(kClosed);
  const Ranking closed = ranking;
  Simulations simulate{closed, kSimulated};
  rank_simulated(
      {{{0}, 1}, {{2}, 1}}, 1, [](std::size_t) { return std::nullopt; },
      [&](std::size_t place) { return simulate(place); }, ranking);
  CHECK(ranking.predictions.front().method == Method::kAnalytic);
  CHECK(ranking.predictions.front().config == closed.predictions[1].config);
  CHECK(ranking.predictions.front().time.value == Approx(5.05e-6 * std::sqrt(1.3 * 1.1)));
  CHECK(ranking.simulated == 2);
}

TEST_CASE("Beyond the total length only candidates that come first are simulated") {
  SECTION("the least promising nominees are not simulated") {
    // All could be the fastest. 0 and 1 have a length of 3, which leaves no room for 2 and 3.
    Ranking ranking = by_closed_form({1000, 1001, 1005, 1006});
    const Ranking closed = ranking;
    Simulations simulate{closed, {{0, 1002}, {1, 1003}, {2, 990}, {3, 990}}};
    const double length = rank_simulated(
        {{{0}, 1}, {{2}, 2}, {{1}, 2}, {{3}, 1}}, 1, [](std::size_t) { return std::nullopt; },
        [&](std::size_t place) { return simulate(place); }, ranking, 0, 3);
    CHECK(simulate.calls == std::map<std::size_t, int>{{0, 1}, {1, 1}});
    CHECK(length == 3);
  }
  SECTION("candidate 1 comes first by its ratio") {
    Ranking ranking = by_closed_form(kClosed);
    const Ranking closed = ranking;
    Simulations simulate{closed, kSimulated};
    const double length = rank_simulated(
        {{{0}, 1}, {{2}, 1}}, 1,
        [](std::size_t) {
          return SharedSimulation{{1, 3}, 5};
        },
        [&](std::size_t place) { return simulate(place); }, ranking, 0, 2);
    CHECK(simulate.calls == std::map<std::size_t, int>{{0, 1}, {1, 1}, {2, 1}});
    CHECK(length == 7);
  }
}

/// Records which simulations have been started, on any thread.
class Begun {
 public:
  void add(std::size_t place) {
    const std::lock_guard lock(noting_);
    places_.insert(place);
    noted_.notify_all();
  }
  /// Waits until a simulation has started; returns false after a timeout.
  bool await(std::size_t place) {
    std::unique_lock lock(noting_);
    return noted_.wait_for(lock, std::chrono::seconds(20), [&] { return places_.contains(place); });
  }

 private:
  std::mutex noting_;
  std::condition_variable noted_;
  std::set<std::size_t> places_;
};

TEST_CASE("No thread waits for another's speculative work") {
  if (processor_count() < 2) {
    WARN("one processor");
    return;
  }
  // The first round simulates candidate 0, the second one 1 and 2. The thread that runs 1
  // speculates on 3, which does come next, together with 4.
  Ranking ranking = by_closed_form({1000, 1010, 1010.5, 1015, 1017});
  const Ranking closed = ranking;
  Simulations times{closed, {{0, 1000}, {1, 1000.25}, {2, 1000.7}, {3, 1014.5}, {4, 1016.5}}};
  Begun begun;
  bool guessed = false, went_on = false;
  std::mutex calling;
  rank_simulated(
      {{{0}, 1}, {{1}, 1}, {{2}, 1}, {{3}, 1}, {{4}, 1}}, 2,
      [](std::size_t) { return std::nullopt; },
      [&](std::size_t place) {
        begun.add(place);
        if (place == 2) {
          guessed = begun.await(3);
        } else if (place == 3) {
          went_on = begun.await(4);
        }
        const std::lock_guard lock(calling);
        return times(place);
      },
      ranking);
  CHECK(guessed);
  CHECK(went_on);
  CHECK(ranking.simulated == 5);
}

TEST_CASE("Speculative work is stopped once the ranking is complete") {
  if (processor_count() < 2) {
    WARN("one processor");
    return;
  }
  // Candidate 1 takes at least 0.99 x 1020 - 0.5 = 1009.3 us, which is within 1 % of candidate 0's
  // analytic time and above its simulated time.
  Ranking ranking = by_closed_form({1000, 1020});
  const Ranking closed = ranking;
  Simulations times{closed, {{0, 1000}, {1, 1020}}};
  Begun begun;
  bool guessed = false, ended = false;
  std::mutex calling;
  rank_simulated(
      {{{0}, 1}, {{1}, 1}}, 2, [](std::size_t) { return std::nullopt; },
      [&](std::size_t place) {
        begun.add(place);
        if (place == 0) {
          guessed = begun.await(1);
        } else {
          for (int i = 0; i < 20'000; ++i) {
            throw_if_stopped();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          }
          ended = true;
        }
        const std::lock_guard lock(calling);
        return times(place);
      },
      ranking);
  CHECK(guessed);
  CHECK_FALSE(ended);
  CHECK(ranking.simulated == 1);
}

TEST_CASE(
    "A thread without memory for a simulation leaves it to another, and errors are rethrown") {
  const std::vector<SharedSimulation> nominees{{{0}, 1}, {{1}, 1}, {{2}, 1}, {{3}, 1}};
  const auto none = [](std::size_t) { return std::nullopt; };
  Ranking ranking = by_closed_form({1000, 1001, 1002, 1003});
  const Ranking closed = ranking;
  Simulations times{closed, {{0, 1000}, {1, 999}, {2, 1001}, {3, 1004}}};
  std::mutex calling;
  const auto failing = [&](auto error) {
    return [&calling, &times, error](std::size_t place) {
      const std::lock_guard lock(calling);
      if (times.calls.size() == 2 && times.calls[place]++ == 0) {
        throw error;
      }
      return times(place);
    };
  };
  rank_simulated(nominees, 2, none, failing(std::bad_alloc()), ranking);
  CHECK(ranking.simulated == 4);
  CHECK(ranking.predictions.front().config == closed.predictions[1].config);
  Ranking other = closed;
  times.calls.clear();
  CHECK_THROWS_AS(rank_simulated(nominees, 2, none, failing(ConfigError("of a kernel")), other),
                  ConfigError);
}

}  // namespace
}  // namespace tilecast
