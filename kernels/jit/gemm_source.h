// The source of one GEMM configuration's kernel, and the type that it is a template on. Only what
// must be constant is compiled in, so configurations that differ in their bands or walk alone share
// a cubin.
#pragma once

#include <string>

#include "kernels/jit/compile.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/problem_kind.h"

namespace tilecast {

/// Whether each role writes down when it worked on a tile (timeline.cuh).
enum class Build { kOrdinary, kTimeline };

/// `Config`, and what it is given (kernels/gemm/gemm_config.h). `config` as of a problem of this
/// kind: of fp8 in elements of K.
std::string config_text(const KernelConfig& config, const ProblemKind& kind,
                        SumScale scale = SumScale::kNone, Build build = Build::kOrdinary);

/// A source at `path` behind the text of its `Config`.
std::string source_text(const std::string& path, const std::string& config);

/// Throws ConfigError where no kernel of this schedule supports types, layout, clusters,
/// epilogue, batches, groups or programmatic launches.
KernelSource gemm_source(const KernelConfig& config, const ProblemKind& kind,
                         SumScale scale = SumScale::kNone, Build build = Build::kOrdinary);

}  // namespace tilecast
