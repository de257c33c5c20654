#include "validate/compare/worst_points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "model/base/words.h"
#include "validate/compare/join.h"
#include "validate/compare/pick.h"
#include "validate/compare/shown_figures.h"

namespace tilecast {
namespace {

double log_error(const JoinedPoint& point) {
  return std::log(point.predicted.time / point.measured_time());
}

/// Formats a GEMM's dtype and layout, and settings of the group that are not the defaults.
std::string conditions_text(const WorstPoint& worst) {
  const Point& point = worst.point;
  std::string text = to_text(worst.problem) + ", " + std::string(to_text(point.regime));
  if (point.inputs != Inputs::kNormal) {
    text += fmt::format(", {}", to_text(point.inputs));
  }
  if (point.l2_state != L2State::kRotating) {
    text += fmt::format(", {}", to_text(point.l2_state));
  }
  return text;
}

/// Wraps the text at 80 columns, after commas.
std::string config_lines(std::string_view config) {
  constexpr std::size_t kWidth = 80;
  std::string text, line = "  ";
  while (!config.empty()) {
    const std::size_t end = std::min(config.find(','), config.size() - 1) + 1;
    if (line.size() + end > kWidth) {
      text += line + "\n";
      line = "    ";
    }
    line += config.substr(0, end);
    config.remove_prefix(end);
  }
  return text + line + "\n";
}

std::string percent(const std::optional<double>& fraction) {
  return fraction ? fmt::format("{:+.1f} %", kToPercent * *fraction) : "-";
}

WorstPoint worst_point(const JoinedGroup& group, const JoinedPoint& point) {
  return {group.problem,       point.measured.point, point.measured_time(),   point.predicted.time,
          cycles_error(point), clock_error(point),   point.predicted.limiter, off_part(point)};
}

std::string heading(std::string_view title) {
  return fmt::format("\n{:<13}{:>10}{:>10}{:>10}{:>10}{:>10}{:>9}\n", title, "measured", "pred. us",
                     "error", "cycles", "clock", "off");
}

std::string lines_of(const WorstPoint& worst) {
  return fmt::format("{}    {:<11}{:>8.1f}{:>10.1f}{:>10}{:>10}{:>10}{:>9}\n",
                     config_lines(worst.point.config), to_text(worst.limiter),
                     worst.measured.value * kToMicro, worst.predicted.value * kToMicro,
                     percent(worst.time_error()), percent(worst.cycles_error),
                     percent(worst.clock_error), to_text(worst.off));
}

nlohmann::ordered_json json_of(const WorstPoint& worst) {
  nlohmann::ordered_json json{{"op", to_text(op_of(worst.problem))},
                              {"problem", to_text(worst.problem)},
                              {"regime", to_text(worst.point.regime)},
                              {"inputs", to_text(worst.point.inputs)},
                              {"l2_state", to_text(worst.point.l2_state)},
                              {"config", worst.point.config},
                              {"measured_time_us", rounded_figure(worst.measured.value * kToMicro)},
                              {"time_us", rounded_figure(worst.predicted.value * kToMicro)},
                              {"error", rounded_figure(worst.time_error())}};
  add_figure(json, "cycles_error", worst.cycles_error);
  add_figure(json, "clock_error", worst.clock_error);
  json["limiter"] = to_text(worst.limiter);
  json["off"] = to_text(worst.off);
  return json;
}

}  // namespace

std::string_view to_text(OffPart part) {
  static constexpr Words<OffPart, 3> kParts{
      {{OffPart::kCycles, "cycles"}, {OffPart::kClock, "clock"}, {OffPart::kUnknown, "unknown"}}};
  return word_of(kParts, part);
}

OffPart off_part(const JoinedPoint& point) {
  const std::optional<double> cycles = cycles_error(point), clock = clock_error(point);
  if (!cycles || !clock) {
    return OffPart::kUnknown;
  }
  const double direction = log_error(point) < 0 ? -1 : 1;
  return direction * std::log1p(*cycles) >= -direction * std::log1p(*clock) ? OffPart::kCycles
                                                                            : OffPart::kClock;
}

std::vector<WorstPoint> worst_points(const JoinedData& data, std::size_t count) {
  struct Candidate {
    const JoinedGroup* group;
    const JoinedPoint* point;
  };
  std::vector<Candidate> candidates;
  for (const JoinedGroup& group : data.groups) {
    for (const JoinedPoint& point : group.points) {
      candidates.push_back({&group, &point});
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) {
                     return std::abs(log_error(*a.point)) > std::abs(log_error(*b.point));
                   });
  candidates.resize(std::min(count, candidates.size()));
  std::vector<WorstPoint> worst;
  for (const auto& [group, point] : candidates) {
    worst.push_back(worst_point(*group, *point));
  }
  return worst;
}

std::vector<WorstPick> worst_picks(const JoinedData& data, std::size_t count) {
  std::vector<WorstPick> picks;
  for (const JoinedGroup& group : data.groups) {
    if (can_pick(group)) {
      picks.push_back({worst_point(group, *picked(group, by_predicted_time).front()),
                       worst_point(group, *std::ranges::min_element(group.points, {},
                                                                    &JoinedPoint::measured_time))});
    }
  }
  std::ranges::stable_sort(picks, {}, &WorstPick::ratio);
  picks.resize(std::min(count, picks.size()));
  return picks;
}

nlohmann::ordered_json to_json(const std::vector<WorstPoint>& points) {
  auto list = nlohmann::ordered_json::array();
  for (const WorstPoint& worst : points) {
    list.push_back(json_of(worst));
  }
  return list;
}

nlohmann::ordered_json to_json(const std::vector<WorstPick>& picks) {
  auto list = nlohmann::ordered_json::array();
  for (const WorstPick& pick : picks) {
    list.push_back({{"ratio", rounded_figure(pick.ratio())},
                    {"picked", json_of(pick.picked)},
                    {"best", json_of(pick.best)}});
  }
  return list;
}

std::string to_table(const std::vector<WorstPoint>& points) {
  std::string text = points.empty() ? "" : heading("worst points");
  for (const WorstPoint& worst : points) {
    text += fmt::format("  {}\n{}", conditions_text(worst), lines_of(worst));
  }
  return text;
}

std::string to_table(const std::vector<WorstPick>& picks) {
  std::string text = picks.empty() ? "" : heading("worst picks");
  for (const WorstPick& pick : picks) {
    text += fmt::format("  {}: {:.3f} of the best speed, which the second has\n{}{}",
                        conditions_text(pick.picked), pick.ratio(), lines_of(pick.picked),
                        lines_of(pick.best));
  }
  return text;
}

}  // namespace tilecast
