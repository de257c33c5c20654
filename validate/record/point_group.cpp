#include "validate/record/point_group.h"

#include <algorithm>

#include "model/gemm/problem/group_text.h"
#include "model/gemm/problem/leading_text.h"

namespace tilecast {

GroupKey group_key(const Point& point) {
  const GemmProblem& problem = point.problem;
  return {point.op,
          problem.shape.m,
          problem.shape.n,
          problem.shape.k,
          problem.batch.products,
          problem.batch.one_a,
          problem.batch.one_b,
          problem.groups == nullptr ? "" : to_text(*problem.groups),
          to_text(problem.leading),
          problem.dtype,
          c_type(problem),
          problem.accumulate,
          problem.layout,
          problem.epilogue.of(OutputKind::kScale).number,
          problem.epilogue.of(OutputKind::kBias).number,
          problem.epilogue.of(OutputKind::kActivate).number,
          point.regime,
          point.inputs,
          point.l2_state};
}

void BestTimes::note(const GroupKey& group, Seconds time) {
  Seconds& best = best_.try_emplace(group, time).first->second;
  best = std::min(best, time);
}

bool BestTimes::is_near(const GroupKey& group, Seconds time) const {
  return is_near_best(time, best_.at(group));
}

}  // namespace tilecast
