// Defines which memory-bound kernels exist, and which of them run on a GPU and a problem: one table
// of rules, used by the search, error messages, kernel sources and launches. Checked by:
// stream_rules_test.cpp, kernels/jit/stream_kernel_test.cpp (against the compiled kernels).
#pragma once

#include <string>

#include "model/op/menu.h"
#include "model/stream/stream_config.h"

namespace tilecast {

struct GpuSpec;

/// Explains why no kernel of this configuration can exist for the element type; empty if one can.
std::string stream_config_fault(const StreamConfig& config, ElementType dtype);

/// Explains why the configuration cannot run on the problem with contiguous operands; empty if it
/// can.
std::string stream_problem_fault(const StreamConfig& config, const StreamProblem& problem);

/// Returns the kind and the message of the first rule that the configuration breaks on a GPU; kNone
/// and empty if it can run.
Refusal check_legal(const GpuSpec& gpu, const StreamProblem& problem, const StreamConfig& config);
std::string why_not_legal(const GpuSpec& gpu, const StreamProblem& problem,
                          const StreamConfig& config);

/// Returns "": every memory-bound problem has a kernel.
inline std::string why_not_solvable(const GpuSpec&, const StreamProblem&) { return {}; }

/// Returns the message for a reason in Rejections::rejected.
inline std::string why_rejected(const GpuSpec& gpu, const StreamProblem& problem,
                                std::string_view /*reason*/, const StreamConfig& config) {
  return why_not_legal(gpu, problem, config);
}

}  // namespace tilecast
