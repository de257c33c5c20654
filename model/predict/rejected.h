// Why candidates were not tried, in words.
// Checked by: cli/predict_test.cpp.
#pragma once

#include <string>
#include <string_view>

#include "model/ops/any_op.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Why the kernel cannot run, empty where it can.
/// `config` is of the problem's op.
std::string why_not_legal(const GpuSpec& gpu, const AnyProblem& problem, const AnyConfig& config);

/// A reason of Ranking::rejected in words: "never pays", "TMA box".
std::string rejection_words(std::string_view reason);

/// The sentence for one of Ranking::rejected_example.
std::string why_rejected(const GpuSpec& gpu, const AnyProblem& problem, std::string_view reason,
                         const AnyConfig& config);

}  // namespace tilecast
