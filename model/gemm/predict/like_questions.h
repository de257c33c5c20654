// Bounds a kernel's predicted time by its predictions for similar problems and regimes: a burst
// takes no longer than sustained load, and an extrapolated kernel with one column of tiles takes no
// longer than on a problem that fills that column. The learned correction alone would break both
// bounds. Few measured kernels have tiles that are mostly outside of C, so 8 columns in a tile of
// 16 were predicted 10 % slower than 16 columns. And under sustained load, at a lower clock, the
// learned correction differs.
//
// Not modelled: problems with different fastest kernels (tested by tests/random/order.cpp). Checked
// by: like_questions_test.cpp, tests/random/order.cpp.
#pragma once

#include <algorithm>
#include <optional>

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/predict/gemm_question.h"
#include "model/rank/prediction.h"

namespace tilecast {

/// Returns the problem with C widened to one whole tile of the kernel (with swapped operands, made
/// as high as one). Returns std::nullopt if C already has that width, or if the alignment of C's
/// rows would change.
std::optional<GemmProblem> with_whole_tile(const GemmProblem& problem, const KernelConfig& config);

/// Clamps the time of `own` to these bounds; `predict` predicts the same kernel for another problem
/// or regime.
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

/// Stretches `p` to this time, within its hard bounds, and records the factor as a correction.
void correct(Seconds time, Prediction& p);

}  // namespace tilecast
