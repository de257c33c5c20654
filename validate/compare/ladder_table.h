// The tables of kernels/gemm/README.md: what each rung of the ladder costs in cycles, clock and
// energy, beside the rung it is compared with.
#pragma once

#include <string>
#include <vector>

#include "model/spec/gpu_spec.h"
#include "validate/compare/counter_file.h"
#include "validate/compare/ladder.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {

/// Markdown: one table for each problem, in the order of the files, and what the columns mean. A
/// cell without a measurement is empty. Of equal points the last row counts. Throws ConfigError
/// `file:line: gpu: ...` for a row of another GPU, where the GPU has no wgmma, and where there is
/// no verified row of any rung.
std::string ladder_tables(const GpuSpec& gpu, const Ladder& ladder,
                          const std::vector<MeasurementFile>& files, const CounterFile& counters);

}  // namespace tilecast
