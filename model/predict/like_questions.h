// Questions whose answers bound another's for one kernel, whatever was learned of each. It takes no
// less time under continuous load than in a burst. Where it is unlike what was measured, it takes
// no more than if the columns existed that its only column of tiles computes beyond the edge of C.
// Learned corrections alone do not keep that order: few measured kernels have much beyond that
// edge, so that 8 columns in a tile of 16 took 10 % longer than 16; and the lower clock of
// continuous load has other neighbours than a burst's.
//
// Leaves out: problems whose fastest kernels differ (tests/random/order.cpp has what remains).
// Checked by: like_questions_test.cpp, tests/random/order.cpp.
#pragma once

#include <algorithm>
#include <optional>

#include "model/predict/prediction.h"
#include "model/predict/question.h"
#include "model/tile/kernel_config.h"

namespace tilecast {

/// The problem with as many columns of C, or rows where operands are swapped, as one tile of the
/// kernel has; none where it has as many, or where C's rows could not start as they do.
std::optional<GemmProblem> with_whole_tile(const GemmProblem& problem, const KernelConfig& config);

/// The time of `own`, as learned, within these bounds; `predict(GemmQuestion)`: by another one.
template <class Predict>
Seconds bounded_by_like(const GemmQuestion& q, const KernelConfig& config, const Prediction& own,
                        const Predict& predict) {
  const std::optional<GemmProblem> whole = with_whole_tile(q.problem, config);
  const auto at_most_whole = [&](Regime regime, const Prediction& p) {
    return whole && p.extrapolated
               ? std::min(p.time, predict(GemmQuestion{q.gpu, *whole, regime, q.inputs}).time)
               : p.time;
  };
  const Seconds time = at_most_whole(q.regime, own);
  if (q.regime == Regime::kBurst) {
    return time;
  }
  const GemmQuestion burst{q.gpu, q.problem, Regime::kBurst, q.inputs};
  return std::max(time, at_most_whole(Regime::kBurst, predict(burst)));
}

/// Makes `p` take this time by its correction, or as long as its bounds leave it.
void correct(Seconds time, Prediction& p);

}  // namespace tilecast
