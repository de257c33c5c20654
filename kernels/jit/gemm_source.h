// The source of one GEMM configuration's kernel and the macros that it is compiled with. Only what
// must be constant is compiled in, so configurations that differ in their bands or walk alone share
// a cubin.
#pragma once

#include <string>
#include <vector>

#include "kernels/gemm/gemm_args.h"
#include "kernels/jit/compile.h"
#include "model/tile/gemm_problem.h"
#include "model/tile/group_rows.h"
#include "model/tile/kernel_config.h"

namespace tilecast {

/// What of a problem, and of how it is launched, is compiled in.
struct ProblemKind {
  GemmTypes types;
  Layout layout;
  Epilogue epilogue = {};
  bool batched = false;
  bool grouped = false;  // along M
  bool parts_k = false;  // grouped along K
  LaunchOrder launch = LaunchOrder::kInTurn;

  static ProblemKind of(const GemmProblem& problem) {
    return {types_of(problem),          problem.layout,           problem.epilogue,
            problem.batch.products > 1, grouped_along_m(problem), grouped_along_k(problem)};
  }
};

/// The macros that kernels/gemm/compile_time_config.h reads. `config` as of a problem of this kind:
/// of fp8 in elements of K.
std::vector<std::string> defines_for(const KernelConfig& config, const ProblemKind& kind,
                                     SumScale scale = SumScale::kNone);

/// Throws ConfigError where no kernel of this schedule supports types, layout, clusters,
/// epilogue, batches, groups or programmatic launches.
KernelSource gemm_source(const KernelConfig& config, const ProblemKind& kind,
                         SumScale scale = SumScale::kNone);

}  // namespace tilecast
