// Which kernels there are on any GPU: rules of a GEMM's kind and of a kernel's configuration. The
// menu, refusals (model/gemm/menu/legality.h), the kernels' sources and the library read this
// table. Checked by: kernel_rules_test.cpp, model/gemm/menu/legality_test.cpp.
#pragma once

#include <span>
#include <string>

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/problem_kind.h"
#include "model/op/rule.h"

namespace tilecast {

/// For the operands' type, which are in the order in which they are multiplied.
struct KernelCase : ProblemKind, KernelConfig {
  SumScale scale = SumScale::kNone;
  const GemmProblem* problem = nullptr;  // as_run; null: of any size
};
/// Of a configuration as those who ask for a problem write it.
KernelCase kernel_case(const ProblemKind& kind, const KernelConfig& config,
                       SumScale scale = SumScale::kNone);

/// Of problems' kinds, and of configurations for kinds that keep those.
std::span<const Rule<KernelCase>> rules_of_kinds();
std::span<const Rule<KernelCase>> rules_of_kernels(TensorCore core);
std::string sentence_of(const Rule<KernelCase>* rule, const KernelCase& asked);

/// Why such tensor cores have no kernel for a problem of this kind, of whatever size; empty where
/// they have.
std::string why_no_kernel(const GemmProblem& problem, TensorCore core,
                          SumScale scale = SumScale::kNone);
/// Likewise of one configuration.
std::string why_no_kernel(const ProblemKind& kind, const KernelConfig& config,
                          SumScale scale = SumScale::kNone);

}  // namespace tilecast
