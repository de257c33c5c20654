// Defines which kernels exist, independent of the GPU: rules on a GEMM's kind and on a kernel's
// configuration. The search space, legality (model/gemm/menu/legality.h), kernel sources and the
// library read this table. Checked by: kernel_rules_test.cpp, model/gemm/menu/legality_test.cpp.
#pragma once

#include <span>
#include <string>

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/problem_kind.h"
#include "model/op/rule.h"

namespace tilecast {

/// A kernel and the kind of its problem, with the operands in the order in which the kernel
/// multiplies them.
struct KernelCase : ProblemKind, KernelConfig {
  SumScale scale = SumScale::kNone;
  const GemmProblem* problem =
      nullptr;  // problem from as_run; null if the rules must hold for any size
};
/// `config` is in the user's orientation of the problem.
KernelCase kernel_case(const ProblemKind& kind, const KernelConfig& config,
                       SumScale scale = SumScale::kNone);

/// Return the rules for problem kinds, and for configurations of legal kinds.
std::span<const Rule<KernelCase>> rules_of_kinds();
std::span<const Rule<KernelCase>> rules_of_kernels(TensorCore core);
std::string sentence_of(const Rule<KernelCase>* rule, const KernelCase& asked);

/// Whether CTAs may split a tile along K with this epilogue.
bool may_split_k(const Epilogue& epilogue);

/// Explains why these tensor cores have no kernel for any problem of this kind; empty if they have
/// one.
std::string why_no_kernel(const GemmProblem& problem, TensorCore core,
                          SumScale scale = SumScale::kNone);
/// Explains why a configuration has no kernel for this kind; empty if it has one.
std::string why_no_kernel(const ProblemKind& kind, const KernelConfig& config,
                          SumScale scale = SumScale::kNone);

}  // namespace tilecast
