#include "validate/compare/repeatability.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "validate/compare/statistics.h"
#include "validate/record/point_group.h"
#include "validate/record/verified_rows.h"

namespace tilecast {
namespace {

constexpr std::size_t kLeastOfGroup = 3;

std::map<std::string, Measurement> verified_rows(const MeasurementFile& file) {
  std::map<std::string, Measurement> rows;
  for (const MeasurementRow& row : file.rows) {
    const Measurement& m = row.measurement;
    if (is_verified(m) && m.cycles && m.sm_clock) {
      rows.insert_or_assign(key_of(m.point), m);
    }
  }
  return rows;
}

Differences differences_of(const Values& values) {
  return {median(values), quantile(values, 0.95), *std::max_element(values.begin(), values.end())};
}

}  // namespace

Repeatability repeatability(const MeasurementFile& a, const MeasurementFile& b) {
  const std::map<std::string, Measurement> first = verified_rows(a), second = verified_rows(b);
  Repeatability found;
  Values cycles, clocks, times;
  std::map<GroupKey, std::pair<Values, Values>> groups;
  double worst = -1;
  for (const auto& [key, one] : first) {
    const auto match = second.find(key);
    if (match == second.end()) {
      continue;
    }
    const Measurement& other = match->second;
    cycles.push_back(std::abs(*other.cycles / *one.cycles - 1));
    clocks.push_back(std::abs(*other.sm_clock / *one.sm_clock - 1));
    times.push_back(std::abs(other.time->median / one.time->median - 1));
    auto& [of_first, of_second] = groups[group_key(one.point)];
    of_first.push_back(one.time->median.value);
    of_second.push_back(other.time->median.value);
    if (cycles.back() > worst) {
      worst = cycles.back();
      found.worst_point = key;
    }
  }
  found.points = cycles.size();
  found.in_one_only = first.size() + second.size() - 2 * found.points;
  if (found.points > 0) {
    found.cycles = differences_of(cycles);
    found.clock = differences_of(clocks);
    found.time = differences_of(times);
  }
  Values taus;
  for (const auto& [key, runs] : groups) {
    const std::optional<double> tau = kendall_tau(runs.first, runs.second);
    if (tau && runs.first.size() >= kLeastOfGroup) {
      taus.push_back(*tau);
    }
  }
  found.groups = taus.size();
  if (!taus.empty()) {
    found.order = mean(taus);
  }
  return found;
}

std::vector<std::string> missed_bars(const Repeatability& found) {
  std::vector<std::string> missed;
  if (found.points == 0) {
    return {"the files have no point in common"};
  }
  const auto hold = [&](const char* what, double value, double most) {
    if (value > most) {
      missed.push_back(
          fmt::format("{} differ by {:.2f} %, {:g} % allowed", what, value * 100, most * 100));
    }
  };
  hold("cycles (median)", found.cycles->median, kMostMedianCycles);
  hold("cycles (95 % of the points)", found.cycles->p95, kMostP95Cycles);
  hold("clocks (median)", found.clock->median, kMostMedianClock);
  return missed;
}

}  // namespace tilecast
