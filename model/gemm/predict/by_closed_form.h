// GEMMs predicted by closed form: physics, and what was learned of such kernels.
// Checked by: predict_test.cpp, learned_test.cpp; committed rows (validate --method analytic).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/gemm/predict/gemm_form.h"
#include "model/learn/learned.h"
#include "model/rank/prediction.h"

namespace tilecast {

/// In the order of `kernels`; nothing learned: physics alone.
std::vector<Prediction> by_closed_form(const GemmQuestion& question,
                                       std::span<const GemmForm> kernels,
                                       const std::optional<LearnedPart>& learned);

}  // namespace tilecast
