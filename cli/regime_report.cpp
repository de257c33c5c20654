// tilecast regime-report: what `tilecast-gpu regime-experiment` found.

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "model/base/error.h"
#include "model/base/text.h"
#include "validate/compare/regime_report.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

constexpr Seconds kMiddleOfBurst{4e-3};

void run_regime_report(const std::string& path, std::optional<double> check_ms) {
  const RegimeTrials trials = parse_regime_trials(read_stored_text(path), path);
  if (trials.rests.empty()) {
    throw ConfigError(path + ": expected trials of rests, found none");
  }
  const std::vector<RestEffect> rests = rest_effects(trials.rests);
  fmt::print("{}", to_table(rests, window_effects(trials.windows, kMiddleOfBurst)));
  if (!check_ms) {
    return;
  }
  for (const RestEffect& rest : rests) {
    const bool as_measured = rest.history == History::kBursts && rest.settled;
    if (!as_measured || std::abs(rest.rest.value * 1e3 - *check_ms) > 1e-6) {
      continue;
    }
    std::vector<std::string> missed;
    for (const auto& [name, effect] :
         {std::pair{"clock", rest.clock}, {"cycles", rest.cycles}, {"time", rest.time}}) {
      if (std::abs(effect.correlation) >= kMostCorrelation) {
        missed.push_back(fmt::format("{} {:+.3f}", name, effect.correlation));
      }
    }
    if (!missed.empty()) {
      throw Error(ExitCode::kWrong,
                  fmt::format("after {:g} ms of rest the correlation with what ran before is not "
                              "under {:g}: {}",
                              *check_ms, kMostCorrelation, join(missed, ", ")));
    }
    return;
  }
  throw ConfigError(
      fmt::format("{}: no settled trials after bursts with {:g} ms of rest", path, *check_ms));
}

}  // namespace

void add_regime_report(Program& program) {
  const Command command = program.command(
      "regime-report", "Check that a burst's rest is long enough and its window short enough");
  const auto path = std::make_shared<std::string>();
  const auto check = std::make_shared<std::optional<double>>();
  command.option("CSV", *path, "What tilecast-gpu regime-experiment wrote, plain or .gz")
      .required();
  command
      .option("--check", *check,
              "Exit with 1 where a correlation of settled bursts after bursts at this "
              "rest, in ms, is not under 0.1")
      .in_range(0.1, 1e6);
  command.runs([path, check] { run_regime_report(*path, *check); });
}

}  // namespace tilecast
