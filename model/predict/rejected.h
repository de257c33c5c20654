// Explains why candidates were rejected. Checked by: cli/predict_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "model/ops/any_op.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Explains why the kernel cannot run; empty if it can. `config` must be for the problem's op.
std::string why_not_legal(const GpuSpec& gpu, const AnyProblem& problem, const AnyConfig& config);

/// Formats a reason of Ranking::rejected for users: "dominated" for never_pays, "TMA box" for
/// tma_box.
std::string rejection_words(std::string_view reason);

/// Returns the message for an example in Ranking::rejected_example.
std::string why_rejected(const GpuSpec& gpu, const AnyProblem& problem, std::string_view reason,
                         const AnyConfig& config);

}  // namespace tilecast
