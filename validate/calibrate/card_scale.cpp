#include "validate/calibrate/card_scale.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "model/base/error.h"
#include "validate/record/verified_rows.h"

namespace tilecast {
namespace {

constexpr double kNormalOverMedian = 1.4826;  // standard deviation over median distance
constexpr double kOutlyingPoint = 5, kOutlyingCard = 3, kLeastOutlying = 0.01;
constexpr std::size_t kLeastCards = 3, kLeastCardsToStandOut = 4;

using Values = std::vector<double>;

double mean(const Values& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The upper one of two in the middle.
double median(Values values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Logarithm of what the trait multiplies; nothing where the row does not tell.
std::optional<double> value_of(CardTrait trait, const GpuSpec& gpu, const Measurement& m) {
  constexpr double kReached = 0.6;
  const bool burst = m.point.regime == Regime::kBurst;
  switch (trait) {
    case CardTrait::kBurstClock:
    case CardTrait::kSustainedClock:
      return m.sm_clock && burst == (trait == CardTrait::kBurstClock)
                 ? std::optional(std::log(m.sm_clock->value))
                 : std::nullopt;
    case CardTrait::kPower:
      return m.power && !burst ? std::optional(std::log(m.power->value * m.time->median.value))
                               : std::nullopt;
    case CardTrait::kDram:
      return gpu.dram && least_bytes(problem_of(m.point)) / m.time->median.value >
                             kReached * gpu.dram->bandwidth.value
                 ? std::optional(-std::log(m.time->median.value))
                 : std::nullopt;
  }
  return std::nullopt;
}

/// The values of a point by card, each the mean of the card's rows.
using Cells = std::map<std::string, std::map<std::string, double>>;

struct TraitValues {
  Cells cells;
  std::map<std::string, i64> rows;       // of each card
  std::map<std::string, double> weight;  // rows of each card among the machine's
};

TraitValues values_of(CardTrait trait, const GpuSpec& gpu,
                      const std::vector<MeasurementFile>& machine,
                      const std::vector<MeasurementFile>& others) {
  std::map<std::string, std::map<std::string, Values>> all;
  TraitValues values;
  for (const auto* files : {&machine, &others}) {
    for (const MeasurementFile& file : *files) {
      for (const auto& [line, m] : file.rows) {
        const bool usable = is_verified(m) && m.context.gpu == gpu.name &&
                            m.point.inputs == Inputs::kNormal && !m.context.gpu_uuid.empty();
        if (const auto value = usable ? value_of(trait, gpu, m) : std::nullopt) {
          all[key_of(m.point)][m.context.gpu_uuid].push_back(*value);
          values.weight[m.context.gpu_uuid] += files == &machine ? 1 : 0;
        }
      }
    }
  }
  for (const auto& [point, by_card] : all) {
    for (const auto& [card, list] : by_card) {
      if (by_card.size() > 1) {
        values.cells[point][card] = mean(list);
        values.rows[card] += static_cast<i64>(list.size());
      }
    }
  }
  return values;
}

/// The cards that points connect with each other; of several such sets the one of most points.
std::vector<std::string> connected_cards(const Cells& cells) {
  std::map<std::string, std::string> parent;
  const auto root = [&](std::string card) {
    while (parent.at(card) != card) {
      card = parent.at(card);
    }
    return card;
  };
  for (const auto& [point, by_card] : cells) {
    for (const auto& [card, value] : by_card) {
      parent.emplace(card, card);
      parent[root(card)] = root(by_card.begin()->first);
    }
  }
  std::map<std::string, std::size_t> points;
  for (const auto& [point, by_card] : cells) {
    ++points[root(by_card.begin()->first)];
  }
  std::vector<std::string> cards;
  if (!points.empty()) {
    const std::string largest =
        std::ranges::max_element(points, {}, [](const auto& set) { return set.second; })->first;
    for (const auto& [card, ignored] : parent) {
      if (root(card) == largest) {
        cards.push_back(card);
      }
    }
  }
  return cards;
}

struct Solution {
  Values card;      // b, of mean 0
  Values variance;  // of b
  double chance = 0;
  std::map<std::string, double> point;  // a
};

/// With a(point) eliminated: (D - sum over points of 1 1' / n + 1 1' / cards) b = r, in which the
/// last term sets the mean of b to 0.
Solution solve(const Cells& cells, const std::vector<std::string>& cards) {
  const auto place = [&](const std::string& card) {
    return static_cast<Eigen::Index>(std::ranges::lower_bound(cards, card) - cards.begin());
  };
  const auto count = static_cast<Eigen::Index>(cards.size());
  Eigen::MatrixXd normal =
      Eigen::MatrixXd::Constant(count, count, 1.0 / static_cast<double>(count));
  Eigen::VectorXd right = Eigen::VectorXd::Zero(count);
  std::size_t values = 0;
  for (const auto& [point, by_card] : cells) {
    const double share = 1.0 / static_cast<double>(by_card.size());
    double sum = 0;
    for (const auto& [card, value] : by_card) {
      sum += value;
    }
    for (const auto& [card, value] : by_card) {
      normal(place(card), place(card)) += 1;
      right(place(card)) += value - sum * share;
      for (const auto& [other, ignored] : by_card) {
        normal(place(card), place(other)) -= share;
      }
    }
    values += by_card.size();
  }
  const Eigen::MatrixXd inverse = normal.inverse();
  const Eigen::VectorXd b = inverse * right;
  Solution solution;
  double squares = 0;
  for (const auto& [point, by_card] : cells) {
    double a = 0;
    for (const auto& [card, value] : by_card) {
      a += (value - b(place(card))) / static_cast<double>(by_card.size());
    }
    for (const auto& [card, value] : by_card) {
      const double residual = value - a - b(place(card));
      squares += residual * residual;
    }
    solution.point[point] = a;
  }
  const double freedom = static_cast<double>(values) - static_cast<double>(cells.size()) -
                         static_cast<double>(count) + 1;
  solution.chance = freedom > 0 ? std::sqrt(squares / freedom) : 0;
  for (Eigen::Index i = 0; i < count; ++i) {
    solution.card.push_back(b(i));
    solution.variance.push_back(solution.chance * solution.chance *
                                std::max(0.0, inverse(i, i) - 1.0 / static_cast<double>(count)));
  }
  return solution;
}

/// Takes out what lies far from the rest, and says so.
void remove_outliers(CardTrait trait, const Solution& solution,
                     const std::vector<std::string>& cards, Cells& cells,
                     std::vector<std::string>& told) {
  std::map<std::string, double> offset;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    offset[cards[i]] = solution.card[i];
  }
  Values distances;
  for (const auto& [point, by_card] : cells) {
    for (const auto& [card, value] : by_card) {
      distances.push_back(std::abs(value - solution.point.at(point) - offset.at(card)));
    }
  }
  const double most =
      std::max(kLeastOutlying, kOutlyingPoint * kNormalOverMedian * median(distances));
  for (auto& [point, by_card] : cells) {
    std::erase_if(by_card, [&](const auto& cell) {
      const double residual = cell.second - solution.point.at(point) - offset.at(cell.first);
      if (std::abs(residual) > most) {
        told.push_back(fmt::format("{}: {:+.1f} % on {}: {}", to_text(trait), residual * 100,
                                   cell.first, point));
      }
      return std::abs(residual) > most;
    });
  }
  std::erase_if(cells, [](const auto& cell) { return cell.second.size() < 2; });
}

void tell_outlying_cards(CardTrait trait, const std::vector<std::string>& cards,
                         const Values& offsets, std::vector<std::string>& told) {
  if (cards.size() < kLeastCardsToStandOut) {
    return;
  }
  const double middle = median(offsets);
  Values distances;
  for (const double offset : offsets) {
    distances.push_back(std::abs(offset - middle));
  }
  const double most =
      std::max(kLeastOutlying, kOutlyingCard * kNormalOverMedian * median(distances));
  for (std::size_t i = 0; i < cards.size(); ++i) {
    if (distances[i] > most) {
      told.push_back(fmt::format("{}: {:+.1f} % from the middle of {} cards: {}", to_text(trait),
                                 (offsets[i] - middle) * 100, cards.size(), cards[i]));
    }
  }
}

/// Of the cards' true factors: what the estimates spread by, less what their errors add.
double spread_of(const Values& offsets, const Values& variances) {
  const double middle = mean(offsets);
  double squares = 0;
  for (const double offset : offsets) {
    squares += (offset - middle) * (offset - middle);
  }
  return std::sqrt(
      std::max(0.0, squares / static_cast<double>(offsets.size() - 1) - mean(variances)));
}

void fit_trait(CardTrait trait, TraitValues values, std::map<std::string, Card>& fitted,
               CardFit& fit) {
  std::vector<std::string> cards;
  Solution solution;
  for (const bool again : {false, true}) {
    cards = connected_cards(values.cells);
    if (cards.size() < 2) {
      return;
    }
    std::erase_if(values.cells, [&](const auto& cell) {
      return !std::ranges::binary_search(cards, cell.second.begin()->first);
    });
    solution = solve(values.cells, cards);
    if (!again) {
      remove_outliers(trait, solution, cards, values.cells, fit.outlying_points);
    }
  }
  double level = 0, weights = 0;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    level += values.weight[cards[i]] * solution.card[i];
    weights += values.weight[cards[i]];
  }
  level = weights > 0 ? level / weights : 0;
  for (std::size_t i = 0; i < cards.size(); ++i) {
    Card& card = fitted[cards[i]];
    card.uuid = cards[i];
    card.factors[trait] = {std::exp(solution.card[i] - level), std::sqrt(solution.variance[i]),
                           values.rows[cards[i]]};
  }
  fit.chance[trait] = solution.chance;
  if (cards.size() >= kLeastCards) {
    fit.cards.spread[trait] = spread_of(solution.card, solution.variance);
  }
  tell_outlying_cards(trait, cards, solution.card, fit.outlying_cards);
}

}  // namespace

CardFit fit_cards(const GpuSpec& gpu, const std::vector<MeasurementFile>& machine,
                  const std::vector<MeasurementFile>& others) {
  CardFit fit;
  std::map<std::string, Card> fitted;
  for (const CardTrait trait : kEveryCardTrait) {
    fit_trait(trait, values_of(trait, gpu, machine, others), fitted, fit);
  }
  if (fitted.empty()) {
    throw ConfigError("expected points that were measured on two cards at least, there is none");
  }
  for (auto& [uuid, card] : fitted) {
    fit.cards.cards.push_back(std::move(card));
  }
  return fit;
}

}  // namespace tilecast
