// Computes the clock-independent work of a GEMM configuration: tiles, bytes, K blocks of the
// busiest SM or worker. Checked by: closed_form_test.cpp, traffic_test.cpp, shared_tiles_test.cpp.
#pragma once

#include <optional>

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/form/shared_tiles.h"
#include "model/gemm/form/traffic.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Present only if workers share tiles along K.
struct SharedTiles {
  WorkerShare busiest;
  i64 workers;
};

/// The clock-independent, expensive part of the analytic model.
struct GemmWork {
  GemmTraffic traffic;
  Bytes shared_memory;  // bytes of operand reads and fills, all SMs
  i32 ctas_per_sm;      // resident CTAs per SM
  i64 tiles_per_sm;     // tiles of the busiest SM
  double k_blocks;      // K blocks per tile of the busiest worker, on average
  double all_k_blocks;  // K blocks of all CTA tiles
  i64 tiles;            // CTA tiles computed, including those outside C
  std::optional<SharedTiles> shared;
};

GemmWork gemm_work(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config);
/// Computes the work with a given `traffic`, which must be for this GPU and problem.
GemmWork gemm_work(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                   TrafficMemo& traffic);

/// Work with an ideal tile order: a lower bound over all rasters.
GemmWork least_gemm_work(const GpuSpec& gpu, const GemmProblem& problem,
                         const KernelConfig& config);

}  // namespace tilecast
