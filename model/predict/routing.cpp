#include "model/predict/routing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <utility>

#include "model/base/error.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

constexpr std::string_view kUniform = "uniform", kZipf = "zipf:";
constexpr double kSteepest = 10;  // where one expert has 999 tokens of 1,000

/// From 0 to below 1; the standard's distributions differ from library to library.
double draw_unit(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

class Router {
 public:
  Router(const Routing& routing, std::mt19937_64& random) : random_(random) {
    for (i64 rank = 1; rank <= routing.experts; ++rank) {
      shares_.push_back(std::pow(static_cast<double>(rank), -routing.zipf));
    }
    for (std::size_t left = shares_.size(); left > 1; --left) {
      std::swap(shares_[left - 1],
                shares_[static_cast<std::size_t>(draw_unit(random_) * static_cast<double>(left))]);
    }
    std::partial_sum(shares_.begin(), shares_.end(), std::back_inserter(sums_));
  }

  /// An expert that is none of `taken`.
  std::size_t next(const std::vector<std::size_t>& taken) {
    const auto is_taken = [&](std::size_t expert) {
      return std::ranges::find(taken, expert) != taken.end();
    };
    constexpr int kTries = 8;  // before all that are left are summed
    for (int i = 0; i < kTries; ++i) {
      const auto at = std::ranges::upper_bound(sums_, draw_unit(random_) * sums_.back());
      const std::size_t expert =
          std::min(static_cast<std::size_t>(at - sums_.begin()), sums_.size() - 1);
      if (!is_taken(expert)) {
        return expert;
      }
    }
    double left = 0;
    for (std::size_t expert = 0; expert < shares_.size(); ++expert) {
      left += is_taken(expert) ? 0 : shares_[expert];
    }
    double at = draw_unit(random_) * left;
    std::size_t last = 0;
    for (std::size_t expert = 0; expert < shares_.size(); ++expert) {
      if (is_taken(expert)) {
        continue;
      }
      last = expert;
      at -= shares_[expert];
      if (at < 0) {
        break;
      }
    }
    return last;
  }

 private:
  std::mt19937_64& random_;
  std::vector<double> shares_, sums_;  // of each expert; up to it
};

}  // namespace

double parse_zipf(std::string_view text) {
  if (text == kUniform) {
    return 0;
  }
  const std::optional<double> exponent =
      text.starts_with(kZipf) ? parse_number(text.substr(kZipf.size())) : std::nullopt;
  if (!exponent || *exponent < 0 || *exponent > kSteepest) {
    throw ConfigError(
        fmt::format("routing '{}': expected uniform, or zipf: and an exponent from 0 to {}, such "
                    "as zipf:1.1",
                    on_one_line(text), kSteepest));
  }
  return *exponent;
}

std::string to_text(const Routing& routing) {
  return fmt::format(
      "{} experts, {} tokens, top {}, {}", routing.experts, routing.tokens, routing.top_k,
      routing.zipf == 0 ? std::string(kUniform) : fmt::format("{}{}", kZipf, routing.zipf));
}

std::vector<std::vector<i64>> drawn_rows(const Routing& routing, i64 draws) {
  if (routing.top_k > routing.experts) {
    throw ConfigError(
        fmt::format("top-k {}: there are {} experts", routing.top_k, routing.experts));
  }
  if (routing.tokens > kMostRoutedRows / routing.top_k) {
    throw ConfigError(fmt::format("{} tokens, top {}: expected at most {} rows together",
                                  routing.tokens, routing.top_k, kMostRoutedRows));
  }
  std::mt19937_64 random(routing.seed);
  std::vector<std::vector<i64>> rows;
  for (i64 draw = 0; draw < draws; ++draw) {
    Router router(routing, random);
    std::vector<i64>& of_experts =
        rows.emplace_back(static_cast<std::size_t>(routing.experts), i64{0});
    for (i64 token = 0; token < routing.tokens; ++token) {
      std::vector<std::size_t> taken;
      while (static_cast<i64>(taken.size()) < routing.top_k) {
        taken.push_back(router.next(taken));
        ++of_experts[taken.back()];
      }
    }
  }
  return rows;
}

}  // namespace tilecast
