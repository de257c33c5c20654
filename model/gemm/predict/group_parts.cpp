#include "model/gemm/predict/group_parts.h"

#include <algorithm>
#include <vector>

#include "model/base/math.h"
#include "model/gemm/predict/predict_gemm.h"
#include "model/gemm/problem/group_rows.h"

namespace tilecast {
namespace {

/// Returns equal groups with `total` rows in total. Sizes are rounded up to `step`; the last group
/// takes the difference.
std::vector<i64> equal_groups(i64 total, i64 groups, i64 step) {
  const i64 steps = ceil_div(total, step);
  std::vector<i64> rows;
  for (i64 group = 0; group < groups; ++group) {
    rows.push_back(step * (steps * (group + 1) / groups - steps * group / groups));
  }
  rows.back() -= steps * step - total;
  return rows;
}

GemmProblem with_groups(const GemmProblem& problem, std::vector<i64> rows) {
  return in_groups(problem, GroupRows::of(std::move(rows), 0, problem.groups->side()));
}

GemmProblem without_groups(GemmProblem problem) {
  problem.groups = nullptr;
  return problem;
}

/// Returns the problems to compare, starting with the one without any grouping cost.
std::vector<GemmProblem> compared(const GemmProblem& problem, const Tiling& t) {
  const GroupRows& groups = *problem.groups;
  const i64 total = groups.total(), used = groups.not_empty();
  if (grouped_along_k(problem)) {
    return {with_groups(problem, equal_groups(total, groups.count(), t.block_k)),
            with_groups(problem, equal_groups(total, groups.count(), 1)), problem};
  }
  const i64 height = i64{t.block_m} * t.cluster_m;
  const i64 full = std::min(used, ceil_div(total, height));
  return {without_groups(problem), with_groups(problem, equal_groups(total, full, height)),
          with_groups(problem, equal_groups(total, used, 1)), problem};
}

}  // namespace

std::optional<GroupParts> group_parts(const GemmQuestion& question, const KernelConfig& config,
                                      Method method) {
  if (question.problem.groups == nullptr) {
    return std::nullopt;
  }
  GpuSpec physics = question.gpu;
  physics.learned = nullptr;
  std::vector<double> cycles;
  for (const GemmProblem& problem : compared(question.problem, config.tiling)) {
    cycles.push_back(
        predict_one({physics, problem, question.regime, question.inputs}, config, method)
            .cycles.value);
  }
  std::vector<double> shares;  // share of the cycles that each step adds
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    shares.push_back((cycles[i] - (i > 0 ? cycles[i - 1] : 0)) / cycles.back());
  }
  return grouped_along_k(question.problem) ? GroupParts{.alike = shares[0],
                                                        .own_b = 0,
                                                        .partial = shares[1],
                                                        .imbalance = shares[2]}
                                           : GroupParts{.alike = shares[0],
                                                        .own_b = shares[1],
                                                        .partial = shares[2],
                                                        .imbalance = shares[3]};
}

}  // namespace tilecast
