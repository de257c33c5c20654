#include "validate/compare/variance.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>

#include "model/base/error.h"
#include "model/base/shuffle.h"
#include "validate/compare/statistics.h"
#include "validate/record/point_group.h"
#include "validate/record/verified_rows.h"

namespace tilecast {
namespace {

constexpr std::size_t kLeastOfPair = 5;  // points, that a mean and a scatter are of
constexpr std::size_t kLeastOfOrder = 3;
constexpr std::size_t kLengthOfDay = 10;  // 2025-01-31
constexpr std::size_t kWaysToHalve = 20;

/// A process: its verified rows of one regime, by point.
struct ProcessRows {
  std::string card, day;
  std::map<std::string, const Measurement*> rows;
};

std::vector<ProcessRows> processes_of(const std::vector<MeasurementFile>& files, Regime regime) {
  std::vector<ProcessRows> processes;
  for (const MeasurementFile& file : files) {
    ProcessRows process;
    for (const MeasurementRow& row : file.rows) {
      const Measurement& m = row.measurement;
      if (!is_verified(m) || !m.cycles || !m.sm_clock || m.point.regime != regime) {
        continue;
      }
      if (!process.card.empty() && process.card != m.context.gpu_uuid) {
        throw ConfigError(fmt::format("{}:{}: gpu_uuid: expected rows of one card in a file",
                                      file.name, row.line));
      }
      process.card = m.context.gpu_uuid;
      process.day = process.day.empty() ? m.context.date.substr(0, kLengthOfDay) : process.day;
      process.rows.insert_or_assign(key_of(m.point), &m);
    }
    if (!process.rows.empty()) {
      processes.push_back(std::move(process));
    }
  }
  return processes;
}

using ValueOf = double (*)(const Measurement&);

/// Times of two lists within what is compared with each other: a problem.
using Groups = std::map<GroupKey, std::pair<Values, Values>>;

std::optional<double> mean_order(const Groups& groups, std::size_t* used = nullptr) {
  Values taus;
  for (const auto& [key, times] : groups) {
    const std::optional<double> tau = kendall_tau(times.first, times.second);
    if (tau && times.first.size() >= kLeastOfOrder) {
      taus.push_back(*tau);
    }
  }
  if (used != nullptr) {
    *used = taus.size();
  }
  return taus.empty() ? std::nullopt : std::optional(mean(taus));
}

struct PairSums {
  std::size_t pairs = 0;
  double offsets = 0, scatters = 0;  // sums of squares
  Values orders;
};

void add_pair(const ProcessRows& a, const ProcessRows& b, ValueOf value, PairSums& sums) {
  Values differences;
  Groups groups;
  for (const auto& [key, row] : a.rows) {
    if (const auto match = b.rows.find(key); match != b.rows.end()) {
      differences.push_back(std::log(value(*match->second) / value(*row)));
      auto& [first, second] = groups[group_key(row->point)];
      first.push_back(value(*row));
      second.push_back(value(*match->second));
    }
  }
  if (differences.size() < kLeastOfPair) {
    return;
  }
  const double offset = mean(differences), count = static_cast<double>(differences.size());
  double squares = 0;
  for (const double difference : differences) {
    squares += (difference - offset) * (difference - offset);
  }
  const double scatter = squares / (count - 1);
  ++sums.pairs;
  sums.offsets += offset * offset - scatter / count;
  sums.scatters += scatter;
  if (const std::optional<double> order = mean_order(groups)) {
    sums.orders.push_back(*order);
  }
}

Common common_of(const ProcessRows& a, const ProcessRows& b) {
  return a.card != b.card ? Common::kNothing : a.day != b.day ? Common::kCard : Common::kCardAndDay;
}

VarianceOf figures_of(const std::vector<ProcessRows>& processes, ValueOf value) {
  std::map<Common, PairSums> sums;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    for (std::size_t j = i + 1; j < processes.size(); ++j) {
      add_pair(processes[i], processes[j], value, sums[common_of(processes[i], processes[j])]);
    }
  }
  VarianceOf figures;
  double explained = 0, chance = 0;
  std::size_t pairs = 0;
  double* const parts[] = {&figures.parts.process, &figures.parts.day, &figures.parts.card};
  for (std::size_t i = 0; i < std::size(kEveryCommon); ++i) {
    const PairSums& of = sums[kEveryCommon[i]];
    PairFigures figure{.pairs = of.pairs};
    if (of.pairs > 0) {
      const double count = static_cast<double>(of.pairs), square = of.offsets / count;
      figure.offset = std::sqrt(std::max(0.0, square));
      figure.scatter = std::sqrt(of.scatters / count);
      figure.order = of.orders.empty() ? std::nullopt : std::optional(mean(of.orders));
      const double part = std::max(0.0, square / 2 - explained);
      *parts[i] = std::sqrt(part);
      explained += part;
      // One row against one row, where most is in common.
      if (pairs == 0) {
        chance = of.scatters / count / 2;
        pairs = of.pairs;
      }
    }
    figures.pairs.push_back(figure);
  }
  figures.parts.chance = std::sqrt(chance);
  return figures;
}

/// Medians of each point in the two halves, for points that both have.
Groups medians_of(const std::vector<ProcessRows>& processes,
                  const std::vector<std::size_t>& order) {
  std::map<std::string, std::pair<Values, Values>> times;
  std::map<std::string, GroupKey> groups_of;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const auto& [key, row] : processes[order[i]].rows) {
      auto& [first, second] = times[key];
      (i < order.size() / 2 ? first : second).push_back(row->time->median.value);
      groups_of.emplace(key, group_key(row->point));
    }
  }
  Groups groups;
  for (const auto& [key, halves] : times) {
    if (!halves.first.empty() && !halves.second.empty()) {
      auto& [first, second] = groups[groups_of.at(key)];
      first.push_back(median(halves.first));
      second.push_back(median(halves.second));
    }
  }
  return groups;
}

void add_halves(const std::vector<ProcessRows>& processes, Variance& variance) {
  if (processes.size() < 2) {
    return;
  }
  std::vector<std::size_t> order(processes.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::mt19937_64 random(1);
  Values orders;
  for (std::size_t way = 0; way < kWaysToHalve; ++way) {
    shuffle(order, random);
    if (const auto tau = mean_order(medians_of(processes, order), &variance.problems)) {
      orders.push_back(*tau);
    }
  }
  variance.halves = orders.size();
  variance.halves_order = orders.empty() ? std::nullopt : std::optional(mean(orders));
}

}  // namespace

std::vector<Measurement> median_rows(const std::vector<MeasurementFile>& files) {
  std::map<std::string, std::vector<const Measurement*>> by_point;
  std::vector<std::string> order;
  for (const MeasurementFile& file : files) {
    for (const MeasurementRow& row : file.rows) {
      if (is_verified(row.measurement)) {
        std::vector<const Measurement*>& rows = by_point[key_of(row.measurement.point)];
        if (rows.empty()) {
          order.push_back(key_of(row.measurement.point));
        }
        rows.push_back(&row.measurement);
      }
    }
  }
  std::vector<Measurement> medians;
  for (const std::string& point : order) {
    std::vector<const Measurement*>& rows = by_point[point];
    if (rows.size() > 1) {
      std::ranges::stable_sort(rows, {}, [](const Measurement* m) { return m->time->median; });
      medians.push_back(*rows[(rows.size() - 1) / 2]);
    }
  }
  return medians;
}

std::vector<Variance> variance_of(const std::vector<MeasurementFile>& files) {
  std::vector<Variance> all;
  for (const Regime regime : {Regime::kBurst, Regime::kSustained}) {
    const std::vector<ProcessRows> processes = processes_of(files, regime);
    if (processes.empty()) {
      continue;
    }
    Variance variance{.files = processes.size(), .regime = regime};
    std::set<std::string> cards, days;
    std::map<std::string, std::size_t> seen;
    for (const ProcessRows& process : processes) {
      cards.insert(process.card);
      days.insert(process.day);
      for (const auto& [key, row] : process.rows) {
        variance.points += ++seen[key] == 2 ? 1 : 0;
      }
    }
    variance.cards = cards.size();
    variance.days = days.size();
    variance.time =
        figures_of(processes, [](const Measurement& m) { return m.time->median.value; });
    variance.cycles = figures_of(processes, [](const Measurement& m) { return m.cycles->value; });
    variance.clock = figures_of(processes, [](const Measurement& m) { return m.sm_clock->value; });
    add_halves(processes, variance);
    all.push_back(std::move(variance));
  }
  return all;
}

}  // namespace tilecast
