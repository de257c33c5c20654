// Which configurations can run: on this GPU, on this problem. The kernels' own rules, the
// hardware's limits, and the alignment of bulk copies; each refusal has one reason word that is
// counted. Checked by: legality_test.cpp (each rule), kernels/jit/gemm_kernel_test.cpp (what is
// legal here compiles without spills), the column ctas_per_sm of every measured row (occupancy).
#pragma once

#include <string>
#include <string_view>

#include "model/spec/gpu_spec.h"
#include "model/tile/gemm_problem.h"
#include "model/tile/kernel_config.h"

namespace tilecast {

enum class Refusal {
  kNone,
  kArchitecture,  // the schedule's instructions are another architecture's
  kSchedule,      // clusters, chunks, stages, warpgroups or wgmmas in flight that it does not take
  kWgmmaShape,    // tile not made of whole wgmmas, or K blocks not of whole swizzle rows
  kTmaBox,        // a bulk copy's box would break the swizzle or the 256-row limit
  kRegisters,     // accumulators do not fit their threads, or the threads an SM
  kSharedMemory,
  kOccupancy,     // the promised CTAs per SM do not fit
  kTensorMemory,  // accumulators of the promised CTAs do not fit
  kCluster,       // CTAs that no cluster has
  kSplit,         // K cannot be split so (split_rules.h)
  kCompiler,      // known not to compile into what it claims to be (compiler_rejections.h)
  // Of the memory-bound family:
  kBlock,      // no kernel has such a block, or takes such stages, warps or vectors
  kAlignment,  // the problem's rows or elements do not fit the vectors or the view
};

std::string_view to_text(Refusal refusal);

/// Reason why no kernel that tilecast has for this GPU solves this problem, whatever the
/// configuration; else empty.
std::string why_not_solvable(const GpuSpec& gpu, const GemmProblem& problem);

/// The refusal of `config` as a sentence, with the smallest change that would make it legal where
/// one of a single key does.
std::string describe_refusal(Refusal refusal, const GpuSpec& gpu, const GemmProblem& problem,
                             const KernelConfig& config);

/// Why K cannot be split so among the workers that are expected to fit; else empty.
std::string why_no_split_exists(const GpuSpec& gpu, const GemmProblem& problem,
                                const KernelConfig& config);

/// Assumes a GPU on which schedules run and a solvable problem.
Refusal check_legal(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config);

}  // namespace tilecast
