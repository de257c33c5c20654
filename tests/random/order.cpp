#include <fmt/format.h>

#include "tests/random/properties.h"

namespace tilecast {
namespace {

/// A first that may not be faster than another by more than `tolerance`.
struct Order {
  std::string_view what;
  RandomProblem slower, faster;
  double tolerance;
};

std::vector<Order> orders_of(const RandomProblem& base) {
  const GemmShape s = base.gemm()->shape;
  const RandomProblem aligned = base.with(GemmShape{s.m, (s.n + 7) / 8 * 8, (s.k + 63) / 64 * 64});
  const GemmShape a = aligned.gemm()->shape;
  RandomProblem zeros = base, sustained = base;
  zeros.inputs = Inputs::kZeros;
  sustained.regime = Regime::kSustained;
  // The tolerances: a little over the most that 150 random problems showed. Two firsts lean on
  // other measured kernels, and not every candidate is simulated.
  return {{"M doubled", base.with(GemmShape{2 * s.m, s.n, s.k}), base, 0.03},
          {"normal data, not zeros", base, zeros, 0.01},
          {"sustained, not a burst", sustained, base, 0.05},
          {"8 more of K", aligned.with(GemmShape{a.m, a.n, a.k + 8}), aligned, 0.04},
          {"an unaligned N", aligned.with(GemmShape{a.m, a.n - 3, a.k}), aligned, 0.03}};
}

}  // namespace

Violations check_order(const RandomProblem& problem) {
  if (!problem.is_plain()) {
    return {};
  }
  // As the tolerances were found.
  const RandomProblem base = plain_problem(problem.gemm()->shape);
  Violations violations;
  for (const Order& order : orders_of(base)) {
    const Prediction slower = order.slower.first(), faster = order.faster.first();
    if (slower.time <= faster.time * (1 - order.tolerance)) {
      violations.push_back(fmt::format("{}: {} us of {} < {} us of {}", order.what,
                                       slower.time.value * 1e6, to_text(slower.config),
                                       faster.time.value * 1e6, to_text(faster.config)));
    }
  }
  return violations;
}

}  // namespace tilecast
