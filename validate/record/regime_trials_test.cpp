#include "validate/record/regime_trials.h"

#include "model/base/error.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

TEST_CASE("What the experiment writes is read back, and anything else is refused with its line") {
  const RestTrial rest{.rest = Seconds{32e-3},
                       .history = History::kBursts,
                       .settled = true,
                       .before = "fill",
                       .before_order = 1,
                       .before_power = Watts{655.5},
                       .subject = "a:b=1,c=2",
                       .clock = Hertz{1511.25e6},
                       .cycles = Cycles{2e6},
                       .time = Seconds{1e-3}};
  const WindowSlice window{Seconds{0}, Seconds{1e-3}, "x", 4, Hertz{1.5e9}, Cycles{7}};
  const std::string text = regime_trials_header() + to_csv(rest) + to_csv(window);
  const RegimeTrials trials = parse_regime_trials(text, "x.csv");
  REQUIRE(trials.rests.size() == 1);
  CHECK(trials.rests[0].subject == rest.subject);
  CHECK(trials.rests[0].clock.value == Approx(rest.clock.value));
  CHECK(trials.rests[0].history == History::kBursts);
  CHECK(trials.rests[0].settled);
  CHECK(trials.rests[0].before_order == 1);
  CHECK(trials.rests[0].before_power->value == 655.5);
  REQUIRE(trials.windows.size() == 1);
  CHECK(trials.windows[0].repetition == 4);
  CHECK_THROWS_AS(parse_regime_trials("a,b\n1,2\n", "x.csv"), ConfigError);
  // A missing last newline is no error.
  CHECK(parse_regime_trials(text.substr(0, text.size() - 1), "x.csv").windows.size() == 1);
  CHECK_THROWS_AS(parse_regime_trials(regime_trials_header() + "x,,,,,,,,,,,1,1,\n", "x.csv"),
                  ConfigError);
  CHECK_THROWS_AS(
      parse_regime_trials(regime_trials_header() + "rest,32,nap,1,a,1,,,,x,,1500,1,1\n", "x.csv"),
      ConfigError);
}

TEST_CASE("A power that nobody measured stays absent") {
  const RestTrial rest{.rest = Seconds{1},
                       .before = "idle",
                       .before_power = {},
                       .subject = "x",
                       .clock = Hertz{1e9},
                       .cycles = Cycles{1},
                       .time = Seconds{1}};
  const RegimeTrials trials = parse_regime_trials(regime_trials_header() + to_csv(rest), "x.csv");
  REQUIRE(trials.rests.size() == 1);
  CHECK_FALSE(trials.rests[0].before_power.has_value());
}

}  // namespace
}  // namespace tilecast
