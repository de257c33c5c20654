#include "validate/compare/regime_report.h"

#include "tests/catch.h"

namespace tilecast {
namespace {

RestTrial trial(double rest_ms, double watts, const std::string& subject, double megahertz) {
  return {.rest = Seconds{rest_ms / 1e3},
          .before = watts > 300 ? "tensor" : "idle",
          .before_power = Watts{watts},
          .subject = subject,
          .clock = Hertz{megahertz * 1e6},
          .cycles = Cycles{2e6},
          .time = Seconds{2 / megahertz}};
}

TEST_CASE("A clock that follows the power before correlates, whatever the subject's own clock") {
  // After 2 ms 700 W cost 1 % of the clock of each subject against 100 W; after 32 ms nothing.
  std::vector<RestTrial> trials;
  for (const double base : {1500.0, 1980.0}) {
    const std::string subject = "s" + std::to_string(base);
    trials.push_back(trial(2, 100, subject, base * 1.005));
    trials.push_back(trial(2, 700, subject, base * 0.995));
    for (const double watts : {100.0, 700.0}) {
      trials.push_back(trial(32, watts, subject, base * 1.001));
      trials.push_back(trial(32, watts, subject, base * 0.999));
    }
  }
  const std::vector<RestEffect> effects = rest_effects(trials);
  REQUIRE(effects.size() == 2);
  CHECK(effects[0].rest.value == Approx(2e-3));
  CHECK(effects[0].trials == 4);
  CHECK(effects[0].clock.correlation == Approx(-1));
  CHECK(effects[0].clock.percent == Approx(-1.0 / 6));  // 1 % over 600 W
  CHECK(effects[0].cycles.correlation == 0);            // all equal
  CHECK(effects[0].time.correlation > 0.99);
  CHECK(effects[1].clock.correlation == Approx(0).margin(1e-9));
}

TEST_CASE(
    "Trials of one rest are kept apart by what ran before and whether the subject had settled") {
  std::vector<RestTrial> trials(3, trial(32, 700, "s", 1500));
  trials[1].history = History::kBursts;
  trials[2].history = History::kBursts;
  trials[2].settled = true;
  const std::vector<RestEffect> effects = rest_effects(trials);
  REQUIRE(effects.size() == 3);
  CHECK(effects[0].history == History::kLoad);
  CHECK_FALSE(effects[1].settled);
  CHECK(effects[2].settled);
}

TEST_CASE("Where a power is missing the order of what ran before stands for it") {
  std::vector<RestTrial> trials;
  for (const i64 place : {0, 1, 2}) {  // 1 % less clock for each place; 0.01 of 1500 is 15
    trials.push_back(trial(32, 100, "s", 1500.0 - 15.0 * static_cast<double>(place)));
    trials.back().before_order = place;
  }
  trials[1].before_power.reset();
  const RestEffect effect = rest_effects(trials).front();
  CHECK_FALSE(effect.by_power);
  CHECK(effect.clock.correlation == Approx(-1));
  CHECK(effect.clock.percent == Approx(-100 * 15.0 / 1485));  // of the mean clock
  CHECK(to_table({effect}, {}).find("no power is known") != std::string::npos);
}

TEST_CASE("Slices are laid beside the one in which the burst's middle falls") {
  const auto slice = [](double from, double to, i64 repetition, double megahertz) {
    return WindowSlice{Seconds{from / 1e3}, Seconds{to / 1e3},      "gemm",
                       repetition,          Hertz{megahertz * 1e6}, Cycles{1e6}};
  };
  const std::vector<WindowEffect> effects =
      window_effects({slice(0, 2, 0, 1600), slice(2, 4, 0, 1500), slice(50, 52, 0, 1300),
                      slice(0, 2, 1, 1640), slice(2, 4, 1, 1540), slice(50, 52, 1, 1312)},
                     Seconds{3.5e-3});
  REQUIRE(effects.size() == 3);
  CHECK(effects[0].clock == Approx(1620.0 / 1520));
  CHECK(effects[1].clock == Approx(1));
  CHECK(effects[2].clock == Approx(1306.0 / 1520));
  CHECK(effects[2].from.value == Approx(50e-3));
}

}  // namespace
}  // namespace tilecast
