// The timeline of measure --trace: when each role of a kernel worked on each tile.
#pragma once

#include <string>

#include "model/base/regime.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

/// Records one launch and measures what recording costs. Writes the records as CSV to a `path` that
/// ends in .csv, else as Chrome trace JSON, and a summary to standard error. Throws
/// Error(kWrong) where the instrumented kernel gives other bits or its timeline has a fault.
void write_timeline(const GemmProblem& problem, const KernelConfig& config, Inputs inputs,
                    const std::string& path);

}  // namespace tilecast
