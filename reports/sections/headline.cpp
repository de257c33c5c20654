// The first screen: three sentences with the numbers that matter, predicted against measured, and
// cycles against clock. The tables behind the numbers are those of accuracy_section.

#include <fmt/format.h>

#include <algorithm>

#include "model/base/shown_text.h"
#include "reports/quantities.h"
#include "reports/sections/sections.h"
#include "validate/compare/pick.h"
#include "validate/compare/statistics.h"

namespace tilecast {
namespace {

std::string percent(double share) { return number_text(share * kToPercent, 3); }

/// How far off.
std::string error_sentence(const Validation& v, Regime regime, const JoinedData& judged,
                           bool held_out) {
  const ErrorFigures& e = v.time.at(regime);
  const std::size_t problems =
      static_cast<std::size_t>(std::ranges::count_if(judged.groups, [&](const JoinedGroup& group) {
        return group.regime == regime && !group.points.empty();
      }));
  return fmt::format(
      "**{} % mean error** of the predicted time {}, over {} {} of {}{} (median {} %).{}",
      percent(e.mape), regime == Regime::kBurst ? "in bursts" : "under continuous load",
      with_commas(static_cast<long long>(e.points)), e.points == 1 ? "kernel" : "kernels",
      counted(problems, "problem"), held_out ? " that no fit has seen" : "", percent(e.median),
      v.baselines.roofline_mape
          ? fmt::format(" A roofline is {} % off.", percent(*v.baselines.roofline_mape))
          : "");
}

/// How good the pick.
std::string pick_sentence(const Validation& v, Regime regime) {
  const RatioFigures& f = v.pick.at(regime).at(1);
  return fmt::format(
      "**{} % of the best** measured speed is reached by the model's first pick, over {} (worst "
      "{} %).{}",
      percent(f.geomean), counted(f.groups, "problem"), percent(f.min),
      v.baselines.fixed_tiling ? fmt::format(" One fixed configuration reaches {} %.",
                                             percent(v.baselines.fixed_tiling->geomean))
                               : "");
}

/// Time of cuBLASLt's first choice over that of the model's pick.
std::optional<RatioFigures> pick_over_cublaslt(const JoinedData& data, Regime regime,
                                               bool aligned) {
  Values ratios;
  for (const JoinedGroup& group : data.groups) {
    if (group.regime == regime && group.cublaslt_top1 && can_pick(group) &&
        is_aligned(group.problem) == aligned) {
      const Seconds picked = group.best_measured_time() / pick_ratio(group, by_predicted_time, 1);
      ratios.push_back(group.cublaslt_top1->time->median / picked);
    }
  }
  return ratio_figures(ratios);
}

/// How it stands to cuBLASLt; empty where that was not measured.
std::string cublaslt_sentence(const JoinedData& data, Regime regime) {
  const std::optional<RatioFigures> aligned = pick_over_cublaslt(data, regime, true);
  const std::optional<RatioFigures> odd = pick_over_cublaslt(data, regime, false);
  if (!aligned) {
    return odd ? fmt::format(
                     "**{:.2f} x cuBLASLt** is the speed of that pick against cuBLASLt's first "
                     "choice on {}, each with a side that is no multiple of 8.",
                     odd->geomean, counted(odd->groups, "problem"))
               : "";
  }
  return fmt::format(
      "**{:.2f} x cuBLASLt** is the speed of that pick against cuBLASLt's first choice "
      "on {} with sides in multiples of 8.{}",
      aligned->geomean, counted(aligned->groups, "problem"),
      odd ? fmt::format(" On {} with other sides, which most of cuBLASLt's kernels "
                        "cannot load wide, it is {} x.",
                        odd->groups, number_text(odd->geomean, 2))
          : "");
}

}  // namespace

Section headline_section(const ReportInput& input) {
  const Validation v = judged_validation(input);
  Section section{.id = "headline", .title = "At a glance", .text = "", .files = {}};
  const auto say = [&](const std::string& sentence) {
    section.text += sentence.empty() ? "" : "- " + sentence + "\n";
  };
  if (!v.time.empty()) {
    const Regime regime = v.time.begin()->first;
    say(error_sentence(v, regime, judging_rows(input), input.held_out.has_value()));
    if (v.pick.contains(regime) && v.pick.at(regime).contains(1)) {
      say(pick_sentence(v, regime));
    }
    say(cublaslt_sentence(judging_rows(input), regime));
    section.charts.push_back(
        {"overview",
         "Predicted against measured time",
         fmt::format("One point for each kernel{}. On the diagonal the prediction is exact; the "
                     "thin lines are 10 % off.",
                     input.held_out ? " of a problem that no fit has seen" : ""),
         {"points"}});
  }
  if (std::optional<Chart> chart = cycles_clock_chart(input)) {
    section.charts.push_back(std::move(*chart));
  }
  return section;
}

}  // namespace tilecast
