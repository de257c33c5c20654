// A timeline recorded and written to files: what `timeline` and `measure --trace` share.
#pragma once

#include <string>

#include "model/tile/gemm_problem.h"
#include "model/tile/kernel_config.h"
#include "model/tile/regime.h"

namespace tilecast {

/// Records one launch and measures what recording costs. Writes Chrome trace JSON to `trace` and
/// the records as CSV to `csv`, where not empty, and a summary to standard error. Throws
/// Error(kWrong) where the instrumented kernel gives other bits or its timeline has a fault.
void write_timeline(const GemmProblem& problem, const KernelConfig& config, Inputs inputs,
                    const std::string& trace, const std::string& csv);

}  // namespace tilecast
