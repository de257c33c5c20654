#include <algorithm>
#include <map>
#include <string>

#include <fmt/format.h>

#include "model/base/math.h"
#include "model/gemm/menu/legality.h"
#include "model/gemm/problem/group_rows.h"
#include "model/spec/row_cost.h"
#include "tests/random/properties.h"

namespace tilecast {
namespace {

/// A problem that must not be faster than another, up to `tolerance`.
struct Order {
  std::string_view what;
  RandomProblem slower, faster;
  double tolerance;
};

bool along_k(const GemmProblem& problem) {
  return a_is_k_major(problem.layout) || b_is_k_major(problem.layout);
}

// Dimensions of the narrowest tile. In a smaller dimension the copy engine fills the rest of its
// box with zeros, and a row of zeros takes longer than one from L2 (machine.outside of the GPU
// files). So doubling such a dimension may make a kernel faster, on the GPU as in the model.
constexpr i64 kNarrowestTile = 16;
// From this number on, 3 fewer columns reduce reads by at most 5 %.
constexpr i64 kFewestOffLines = 64;

/// Rounds rows along K to whole lines, others to 16 bytes: a longer row may avoid the cost of
/// unaligned rows. (Below one line, longer rows along K are faster on the GPU too.)
GemmProblem in_whole_lines(GemmProblem problem) {
  const i64 line = kLineBytes / element_bytes(problem.dtype);
  GemmShape& s = problem.shape;
  const i32 of_c = element_bytes(c_type(problem));
  const i32 of_b = b_is_k_major(problem.layout) ? of_c : element_bytes(problem.dtype);
  const i64 columns = 16 / std::min(of_b, of_c);
  s.n = round_up<i64>(s.n, c_columns(problem) < s.n ? 2 * columns : columns);  // a gate needs pairs
  if (!a_is_k_major(problem.layout) && !grouped_along_m(problem)) {
    s.m = round_up<i64>(s.m, 8);
  }
  if (along_k(problem) && !grouped_along_k(problem)) {
    s.k = round_up(s.k, line);
  }
  s.n = std::max(s.n, kNarrowestTile);
  if (!grouped_along_m(problem)) {
    s.m = std::max(s.m, kNarrowestTile);
  }
  return problem;
}

GemmProblem with_rows(const GemmProblem& problem, const std::vector<i64>& rows) {
  GemmProblem other = problem;
  other.groups = nullptr;
  return grouped_along_k(problem) ? in_groups_of_k(other, rows) : in_groups(other, rows);
}

/// Returns the problem with twice as many rows in every group, and with every group twice.
GemmProblem with_longer_groups(const GemmProblem& problem) {
  std::vector<i64> rows = problem.groups->rows();
  for (i64& own : rows) {
    own *= 2;
  }
  return with_rows(problem, rows);
}
GemmProblem with_more_groups(const GemmProblem& problem) {
  std::vector<i64> rows = problem.groups->rows();
  rows.insert(rows.end(), problem.groups->rows().begin(), problem.groups->rows().end());
  return with_rows(problem, rows);
}

/// Tolerances exceed the maximum that occurred in several hundred random problems. Not every
/// candidate is simulated (docs/dev/known-gaps.md, C9).
std::vector<Order> orders_of(const RandomProblem& asked) {
  const GemmProblem problem = in_whole_lines(*asked.gemm());
  const RandomProblem base = asked.with(problem);
  const auto& [m, n, k] = problem.shape;
  RandomProblem burst = base, sustained = base, normal = base, zeros = base;
  burst.regime = Regime::kBurst;
  sustained.regime = Regime::kSustained;
  normal.inputs = Inputs::kNormal;
  zeros.inputs = Inputs::kZeros;
  std::vector<Order> orders{{"sustained, not a burst", sustained, burst, 0.05},
                            {"normal data, not zeros", normal, zeros, 0.05},
                            {"N doubled", base.with(GemmShape{m, 2 * n, k}), base, 0.05}};
  if (!grouped_along_m(problem)) {
    orders.push_back({"M doubled", base.with(GemmShape{2 * m, n, k}), base, 0.05});
  }
  if (!grouped_along_k(problem)) {
    orders.push_back({"K doubled", base.with(GemmShape{m, n, 2 * k}), base, 0.04});
  }
  if (problem.groups != nullptr) {
    orders.push_back({"groups doubled", base.with(with_longer_groups(problem)), base, 0.03});
    orders.push_back({"twice as many groups", base.with(with_more_groups(problem)), base, 0.03});
  } else {
    GemmProblem batch = problem;
    batch.batch.products *= 2;
    orders.push_back({"batch doubled", base.with(batch), base, 0.03});
  }
  if (base.is_plain()) {
    orders.push_back(
        {"one group, not a plain GEMM", base.with(in_groups(problem, {m})), base, 0.03});
    orders.push_back({"8 more of K", base.with(GemmShape{m, n, k + 8}), base, 0.07});
    if (n >= kFewestOffLines) {
      orders.push_back({"an unaligned N", base.with(GemmShape{m, n - 3, k}), base, 0.05});
    }
  }
  return orders;
}

}  // namespace

Violations check_order(const RandomProblem& problem, const Ranking&) {
  if (problem.gemm() == nullptr) {
    return {};
  }
  std::map<std::string, Prediction> known;
  const auto first_of = [&](const RandomProblem& one) {
    const std::string text = one.text();
    if (!known.contains(text)) {
      known.emplace(text, one.first());
    }
    return known.at(text);
  };
  Violations violations;
  for (const auto& [what, slower, faster, tolerance] : orders_of(problem)) {
    if (!why_not_solvable(*problem.gpu, *slower.gemm()).empty() ||
        !why_not_solvable(*problem.gpu, *faster.gemm()).empty()) {
      continue;
    }
    const Prediction longer = first_of(slower), shorter = first_of(faster);
    if (const double less = 1 - longer.time / shorter.time;
        less > allowed(problem, shorter, tolerance)) {
      violations.push_back(fmt::format("{}: {:.2f} % faster, {} us of {} for {} us of {}", what,
                                       100 * less, longer.time.value * 1e6, to_text(longer.config),
                                       shorter.time.value * 1e6, to_text(shorter.config)));
    }
  }
  return violations;
}

}  // namespace tilecast
