// The work of a GEMM configuration, independent of the clock: tiles, bytes, K blocks of the busiest
// SM or worker.
// Checked by: closed_form_test.cpp, traffic_test.cpp, shared_tiles_test.cpp.
#pragma once

#include <optional>

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/form/shared_tiles.h"
#include "model/gemm/form/traffic.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Where workers share tiles along K.
struct SharedTiles {
  WorkerShare busiest;
  i64 workers;
};

/// The expensive part of a closed form.
struct GemmWork {
  GemmTraffic traffic;
  Bytes shared_memory;  // operand reads and fills, all SMs
  i32 ctas_per_sm;      // resident
  i64 tiles_per_sm;     // of the busiest SM
  double k_blocks;      // of a tile of the busiest worker, on average
  double all_k_blocks;  // of all CTA tiles
  i64 tiles;            // CTA tiles computed, those outside of C included
  std::optional<SharedTiles> shared;
};

GemmWork gemm_work(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config);
/// The same of one of many: `traffic` must be of this GPU and problem.
GemmWork gemm_work(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                   TrafficMemo& traffic);

/// The work of the best order of tiles there could be: no raster makes the kernel faster.
GemmWork least_gemm_work(const GpuSpec& gpu, const GemmProblem& problem,
                         const KernelConfig& config);

}  // namespace tilecast
