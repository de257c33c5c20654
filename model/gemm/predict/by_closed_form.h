// Predicts GEMMs analytically, with the learned correction. Checked by: predict_test.cpp,
// learned_test.cpp; committed measurements (validate --method analytic).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/gemm/predict/gemm_form.h"
#include "model/learn/learned.h"
#include "model/rank/prediction.h"

namespace tilecast {

/// Returns the features of an analytic prediction.
KernelFeatures closed_features(const GemmQuestion& question, const GemmForm& kernel);

/// Returns predictions in the order of `kernels`; uncorrected if `learned` is none.
std::vector<Prediction> by_closed_form(const GemmQuestion& question,
                                       std::span<const GemmForm> kernels,
                                       const std::optional<LearnedPart>& learned);

}  // namespace tilecast
