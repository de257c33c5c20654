// Writes the chart of cycles against clock for every configuration of one problem, with iso-time
// lines.

#include <algorithm>

#include <fmt/format.h>

#include "model/ops/short_config_text.h"
#include "reports/report_json.h"

namespace tilecast {
namespace {

/// Times of the iso-time lines, relative to the shortest time.
constexpr double kFactors[] = {1, 1.05, 1.1, 1.2, 1.3};
constexpr double kSlowest = 1.3;  // slower kernels are omitted

struct Extremes {
  // kernels with the fewest cycles and with the shortest time
  const JoinedPoint *fewest = nullptr, *fastest = nullptr;
};

bool has_clock(const JoinedPoint& point) {
  return point.measured.sm_clock && point.measured.cycles;
}

Extremes extremes_of(const JoinedGroup& group) {
  Extremes found;
  for (const JoinedPoint& point : group.points) {
    if (!has_clock(point)) {
      continue;
    }
    if (found.fewest == nullptr || *point.measured.cycles < *found.fewest->measured.cycles) {
      found.fewest = &point;
    }
    if (found.fastest == nullptr || point.measured_time() < found.fastest->measured_time()) {
      found.fastest = &point;
    }
  }
  return found;
}

/// Time of the kernel with the fewest cycles / time of the fastest.
double gap_of(const JoinedGroup* group) {
  const Extremes found = extremes_of(*group);
  return found.fewest->measured_time() / found.fastest->measured_time();
}

/// Returns the iso-time lines. Cycles = time x clock is linear in the clock, so two points
/// determine a line.
Json lines_json(Seconds best, const Json& kernels) {
  double low = 0, high = 0, most = 0;  // ranges in GHz and kilocycles
  for (const Json& row : kernels["rows"]) {
    for (const std::size_t side : {0, 2}) {  // columns of measured and predicted values
      const double ghz = row[2 + side];
      low = low == 0 ? ghz : std::min(low, ghz);
      high = std::max(high, ghz);
      most = std::max(most, row[3 + side].get<double>());
    }
  }
  Json table = make_table({"line", "ghz", "kcycles"});
  for (const double factor : kFactors) {
    const double us = best.value * factor * kToMicro;
    for (const double ghz : {low * 0.99, high * 1.01}) {
      if (us * low <= most) {  // otherwise the line lies above every kernel
        table["rows"].push_back({factor == 1
                                     ? fmt::format("{:.4g} us", us)
                                     : fmt::format("+{:.0f} % time", (factor - 1) * kToPercent),
                                 shown_number(ghz), shown_number(us * ghz)});
      }
    }
  }
  return table;
}

}  // namespace

Json clock_json(const JoinedData& data) {
  std::size_t all = 0, differ = 0;
  std::vector<const JoinedGroup*> bursts, sustained;
  for (const JoinedGroup& group : data.groups) {
    const Extremes found = extremes_of(group);
    if (std::ranges::count_if(group.points, has_clock) > 1) {
      ++all;
      differ += found.fewest != found.fastest ? 1 : 0;
      (group.regime == Regime::kBurst ? bursts : sustained).push_back(&group);
    }
  }
  if (all == 0) {
    return {};
  }
  const JoinedGroup& group =
      **std::ranges::max_element(bursts.empty() ? sustained : bursts, {}, gap_of);
  const Extremes found = extremes_of(group);
  Json kernels = make_table({"config", "label", "ghz", "kcycles", "predicted_ghz",
                             "predicted_kcycles", "us", "predicted_us"});
  for (const JoinedPoint& point : group.points) {
    if (!has_clock(point) || point.measured_time() > found.fastest->measured_time() * kSlowest) {
      continue;
    }
    const Prediction& predicted = point.predicted;
    kernels["rows"].push_back({short_text(predicted.config),
                               &point == found.fastest  ? "fastest"
                               : &point == found.fewest ? "fewest cycles"
                                                        : "",
                               shown_number(point.measured.sm_clock->value * kToGiga),
                               shown_number(point.measured.cycles->value * kToKilo),
                               shown_number(predicted.sm_clock.value * kToGiga),
                               shown_number(predicted.cycles.value * kToKilo),
                               shown_number(point.measured_time().value * kToMicro),
                               shown_number(predicted.time.value * kToMicro)});
  }
  Json lines = lines_json(found.fastest->measured_time(), kernels);
  return {{"problem", problem_text(group.problem)},
          {"regime", to_text(group.regime)},
          {"cases", all},
          {"differ", differ},
          {"kernels", std::move(kernels)},
          {"lines", std::move(lines)}};
}

}  // namespace tilecast
