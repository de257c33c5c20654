// Reasons why candidates were rejected, as text.
// Checked by: cli/predict_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "model/ops/any_op.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Why the kernel cannot run; empty if it can.
/// `config` must belong to the problem's op.
std::string why_not_legal(const GpuSpec& gpu, const AnyProblem& problem, const AnyConfig& config);

/// A reason in Ranking::rejected as text: "never pays", "TMA box".
std::string rejection_words(std::string_view reason);

/// The sentence for an example in Ranking::rejected_example.
std::string why_rejected(const GpuSpec& gpu, const AnyProblem& problem, std::string_view reason,
                         const AnyConfig& config);

}  // namespace tilecast
