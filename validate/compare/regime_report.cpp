#include "validate/compare/regime_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "validate/compare/shown_figures.h"
#include "validate/compare/statistics.h"

namespace tilecast {
namespace {

constexpr double kMilli = 1e3;

double pearson(const Values& x, const Values& y, double& slope) {
  const double mean_x = mean(x), mean_y = mean(y);
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    yy += (y[i] - mean_y) * (y[i] - mean_y);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  slope = xx > 0 ? xy / xx : 0;
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

bool all_have_power(const std::vector<RestTrial>& trials) {
  return std::all_of(trials.begin(), trials.end(),
                     [](const RestTrial& trial) { return trial.before_power.has_value(); });
}

/// Of values relative to their subject's mean, with the power before in 100 W, or with its place.
template <class ValueOf>
Effect effect_of(const std::vector<RestTrial>& trials, bool by_power, const ValueOf& value_of) {
  constexpr double kHundredWatts = 100;
  std::map<std::string, Values> by_subject;
  for (const RestTrial& trial : trials) {
    by_subject[trial.subject].push_back(value_of(trial));
  }
  Values before, relative;
  for (const RestTrial& trial : trials) {
    before.push_back(by_power ? trial.before_power->value / kHundredWatts
                              : static_cast<double>(trial.before_order));
    relative.push_back(value_of(trial) / mean(by_subject[trial.subject]) - 1);
  }
  Effect effect;
  double slope = 0;
  effect.correlation = pearson(before, relative, slope);
  effect.percent = slope * kToPercent;
  return effect;
}

}  // namespace

std::vector<RestEffect> rest_effects(const std::vector<RestTrial>& trials) {
  using Protocol = std::tuple<History, bool, Seconds>;
  std::map<Protocol, std::vector<RestTrial>> by_protocol;
  for (const RestTrial& trial : trials) {
    by_protocol[{trial.history, trial.settled, trial.rest}].push_back(trial);
  }
  const bool by_power = all_have_power(trials);
  std::vector<RestEffect> effects;
  for (const auto& [protocol, of_it] : by_protocol) {
    const auto& [history, settled, rest] = protocol;
    effects.push_back(
        {.history = history,
         .settled = settled,
         .rest = rest,
         .trials = of_it.size(),
         .by_power = by_power,
         .clock = effect_of(of_it, by_power, [](const RestTrial& t) { return t.clock.value; }),
         .cycles = effect_of(of_it, by_power, [](const RestTrial& t) { return t.cycles.value; }),
         .time = effect_of(of_it, by_power, [](const RestTrial& t) { return t.time.value; })});
  }
  return effects;
}

std::vector<WindowEffect> window_effects(const std::vector<WindowSlice>& slices,
                                         Seconds reference) {
  struct Sum {
    Seconds from, to;
    double clock = 0, cycles = 0, count = 0;
  };
  // Slices of one number in their load are one place; stamps differ a little between repetitions.
  std::map<std::string, std::vector<Sum>> places;
  std::map<std::pair<std::string, i64>, std::size_t> next;
  for (const WindowSlice& slice : slices) {
    const std::size_t place = next[{slice.subject, slice.repetition}]++;
    std::vector<Sum>& of_subject = places[slice.subject];
    of_subject.resize(std::max(of_subject.size(), place + 1));
    Sum& sum = of_subject[place];
    sum.from += slice.from;
    sum.to += slice.to;
    sum.clock += slice.clock.value;
    sum.cycles += slice.cycles.value;
    sum.count += 1;
  }
  std::vector<WindowEffect> effects;
  for (const auto& [subject, sums] : places) {
    const auto holds = [&](const Sum& sum) { return reference < sum.to / sum.count; };
    const auto found = std::find_if(sums.begin(), sums.end(), holds);
    const Sum& base = found != sums.end() ? *found : sums.back();
    for (const Sum& sum : sums) {
      effects.push_back({.subject = subject,
                         .from = sum.from / sum.count,
                         .to = sum.to / sum.count,
                         .clock = sum.clock / sum.count / (base.clock / base.count),
                         .cycles = sum.cycles / sum.count / (base.cycles / base.count)});
    }
  }
  return effects;
}

std::string to_table(const std::vector<RestEffect>& rests,
                     const std::vector<WindowEffect>& windows) {
  std::string text =
      rests.empty() || rests.front().by_power
          ? "correlation with the power of what ran before (percent per 100 W)\n"
          : "correlation with the place of what ran before, idle first and tensor work on normal\n"
            "data last, as no power is known (percent per place)\n";
  text +=
      "  after   settled  rest ms  trials             clock            cycles              time\n";
  const auto effect = [](const Effect& e) {
    return fmt::format("{:+7.3f} ({:+.3f} %)", e.correlation, e.percent);
  };
  for (const RestEffect& r : rests) {
    text += fmt::format("  {:<7} {:>7}  {:7g} {:7} {:>17} {:>17} {:>17}\n", name_of(r.history),
                        r.settled ? "yes" : "no", r.rest.value * kMilli, r.trials, effect(r.clock),
                        effect(r.cycles), effect(r.time));
  }
  text += "clock and cycles of slices of a load, beside the slice at the burst's middle\n";
  for (const WindowEffect& w : windows) {
    text += fmt::format("  {:<28} {:6.2f} to {:6.2f} ms  clock {:.4f}  cycles {:.4f}\n", w.subject,
                        w.from.value * kMilli, w.to.value * kMilli, w.clock, w.cycles);
  }
  return text;
}

}  // namespace tilecast
