#include "model/gemm/problem/routing.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <utility>

#include "model/base/refuse.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

constexpr std::string_view kUniform = "uniform", kZipf = "zipf:";
constexpr double kSteepest = 10;  // steepest exponent: one expert has 999 of 1,000 tokens

/// Draws uniformly from [0, 1). The standard's distributions differ between libraries.
double draw_unit(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

/// Draws an index by weights that can be set to zero and restored; each call takes log2(size)
/// steps. Sums are recomputed and never subtracted from, because Zipf weights span more digits than
/// a double has.
class WeightTree {
 public:
  explicit WeightTree(const std::vector<double>& weights)
      : leaves_(std::bit_ceil(weights.size())), sums_(2 * leaves_) {
    std::ranges::copy(weights, sums_.begin() + static_cast<std::ptrdiff_t>(leaves_));
    for (std::size_t node = leaves_ - 1; node > 0; --node) {
      sums_[node] = sums_[2 * node] + sums_[2 * node + 1];
    }
  }

  void set(std::size_t leaf, double weight) {
    std::size_t node = leaves_ + leaf;
    sums_[node] = weight;
    for (node /= 2; node > 0; node /= 2) {
      sums_[node] = sums_[2 * node] + sums_[2 * node + 1];
    }
  }

  /// Returns the leaf at `unit`, in [0, 1). Its weight is not zero unless all weights are.
  std::size_t at(double unit) const {
    double left = unit * sums_[1];
    std::size_t node = 1;
    while (node < leaves_) {
      node *= 2;
      if (left >= sums_[node] && sums_[node + 1] > 0) {
        left -= sums_[node];
        ++node;
      }
    }
    return node - leaves_;
  }

 private:
  std::size_t leaves_;
  std::vector<double> sums_;  // node i is the sum of nodes 2i and 2i + 1; the leaves are last
};

class Router {
 public:
  Router(const Routing& routing, std::mt19937_64& random)
      : random_(random),
        shares_(shares(routing, random)),
        left_(shares_),
        is_taken_(shares_.size()) {
    std::partial_sum(shares_.begin(), shares_.end(), std::back_inserter(sums_));
    for (std::size_t i = 0; i < shares_.size(); ++i) {
      const double part = static_cast<double>(i) / static_cast<double>(shares_.size());
      guide_.push_back(std::min<std::size_t>(
          static_cast<std::size_t>(std::ranges::upper_bound(sums_, part * sums_.back()) -
                                   sums_.begin()),
          shares_.size() - 1));
    }
  }

  /// Draws the token's next expert, different from its previous ones.
  std::size_t take() {
    constexpr std::size_t kFew = 16;  // the most popular experts
    constexpr int kTries =
        8;  // number of draws from all experts, before drawing only from those left
    std::size_t expert = 0;
    bool is_found = false;
    for (int i = 0; taken_.size() < kFew && i < kTries && !is_found; ++i) {
      expert = any();
      is_found = !is_taken_[expert];
    }
    if (!is_found) {
      for (; removed_ < taken_.size(); ++removed_) {
        left_.set(taken_[removed_], 0);
      }
      expert = left_.at(draw_unit(random_));
    }
    is_taken_[expert] = true;
    taken_.push_back(expert);
    return expert;
  }

  void next_token() {
    for (std::size_t i = 0; i < taken_.size(); ++i) {
      is_taken_[taken_[i]] = false;
      if (i < removed_) {
        left_.set(taken_[i], shares_[taken_[i]]);
      }
    }
    taken_.clear();
    removed_ = 0;
  }

 private:
  static std::vector<double> shares(const Routing& routing, std::mt19937_64& random) {
    std::vector<double> shares;
    for (i64 rank = 1; rank <= routing.experts; ++rank) {
      shares.push_back(std::pow(static_cast<double>(rank), -routing.zipf));
    }
    for (std::size_t left = shares.size(); left > 1; --left) {
      std::swap(shares[left - 1],
                shares[static_cast<std::size_t>(draw_unit(random) * static_cast<double>(left))]);
    }
    return shares;
  }

  /// Draws any expert by its share: the first one whose cumulative share exceeds the draw.
  std::size_t any() {
    const double unit = draw_unit(random_), at = unit * sums_.back();
    std::size_t expert =
        guide_[static_cast<std::size_t>(unit * static_cast<double>(guide_.size()))];
    while (expert > 0 && sums_[expert - 1] > at) {
      --expert;
    }
    while (expert + 1 < sums_.size() && sums_[expert] <= at) {
      ++expert;
    }
    return expert;
  }

  std::mt19937_64& random_;
  std::vector<double> shares_, sums_;  // share of each expert; cumulative
  std::vector<std::size_t>
      guide_;        // index at which the search for cumulative share i / experts starts
  WeightTree left_;  // shares, with zero for the first `removed_` experts that were taken
  std::vector<char> is_taken_;
  std::vector<std::size_t> taken_;
  std::size_t removed_ = 0;
};

}  // namespace

double parse_zipf(std::string_view text) {
  if (text == kUniform) {
    return 0;
  }
  const std::optional<double> exponent =
      text.starts_with(kZipf) ? parse_number(text.substr(kZipf.size())) : std::nullopt;
  refuse_if(!exponent || *exponent < 0 || *exponent > kSteepest,
            "routing '{}': expected uniform, or zipf: and an exponent from 0 to {}, such "
            "as zipf:1.1",
            on_one_line(text), kSteepest);
  return *exponent;
}

std::string to_text(const Routing& routing) {
  return fmt::format(
      "{} experts, {} tokens, top {}, {}", routing.experts, routing.tokens, routing.top_k,
      routing.zipf == 0 ? std::string(kUniform) : fmt::format("{}{}", kZipf, routing.zipf));
}

std::vector<std::vector<i64>> drawn_rows(const Routing& routing, i64 draws) {
  refuse_if(routing.top_k > routing.experts, "top-k {}: there are only {} experts", routing.top_k,
            routing.experts);
  refuse_if(routing.tokens > kMostRoutedRows / routing.top_k,
            "{} tokens x top {}: expected at most {} rows", routing.tokens, routing.top_k,
            kMostRoutedRows);
  std::mt19937_64 random(routing.seed);
  std::vector<std::vector<i64>> rows;
  for (i64 draw = 0; draw < draws; ++draw) {
    Router router(routing, random);
    std::vector<i64>& of_experts =
        rows.emplace_back(static_cast<std::size_t>(routing.experts), i64{0});
    for (i64 token = 0; token < routing.tokens; ++token) {
      for (i64 choice = 0; choice < routing.top_k; ++choice) {
        ++of_experts[router.take()];
      }
      router.next_token();
    }
  }
  return rows;
}

}  // namespace tilecast
