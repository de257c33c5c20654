// Generates the source of one GEMM configuration's kernel. Only compile-time constants are
// included, so configurations that differ only in swizzle groups or walk share a cubin.
#pragma once

#include <string>

#include "kernels/jit/compile.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/problem_kind.h"

namespace tilecast {

/// Source of `Config` and its inputs (kernels/gemm/gemm_config.h). `config` is for a problem of
/// this kind, with K in the problem's elements.
std::string config_text(const KernelConfig& config, const ProblemKind& kind,
                        SumScale scale = SumScale::kNone);

/// Returns a main source: the definition of `Config`, then the include of `path`.
std::string source_text(const std::string& path, const std::string& config);

/// Returns the kernel's source. Throws ConfigError if no kernel of this schedule supports the
/// types, layout, clusters, epilogue, batches, groups or programmatic launches.
KernelSource gemm_source(const KernelConfig& config, const ProblemKind& kind,
                         SumScale scale = SumScale::kNone);

}  // namespace tilecast
