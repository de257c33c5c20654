#include "model/gemm/triton/triton_time.h"

#include <limits>

#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/rank/settled_clock.h"
#include "model/spec/load_gpu.h"

namespace tilecast {

TritonTime triton_time(const GemmQuestion& q, const TritonKernel& kernel,
                       const TritonCosts& costs) {
  const GpuSpec& gpu = q.gpu;
  if (const std::string why = why_not_schedulable(gpu); !why.empty()) {
    throw ConfigError(why);
  }
  refuse_if(!gpu.wgmma && !gpu.mma_sync,
            "{}: Triton's kernels are modelled only for GPUs with wgmma or mma.sync", gpu.name);
  refuse_if(kernel.tma && !gpu.wgmma, "{}: Triton's kernels with TMA are modelled only for Hopper",
            gpu.name);
  const Seconds least = triton_bounds(gpu, q.problem, kernel, costs).least_time(gpu.clock->max);
  if (triton_shared_memory(gpu, q.problem, kernel) > gpu.sm.shared_memory_per_cta) {
    return {{std::numeric_limits<double>::infinity()}, least};
  }
  const TritonWork work = triton_work(gpu, q.problem, kernel, costs);
  const KernelActivity activity{{.tensor = work.multiplied,
                                 .shared_memory = work.shared_memory,
                                 .l2 = work.l2_output,
                                 .dram = work.dram_read + work.dram_write,
                                 .elapsed = {},
                                 .dtype = q.problem.dtype,
                                 .out_of_bounds = work.out_of_bounds}};
  const auto [cycles, clock] =
      settled_cycles(gpu, activity, gpu.clock->tensor_plateau, q.regime, q.inputs,
                     [&](Hertz f) { return triton_cycles(gpu, kernel, costs, work, f); });
  return {time_of(cycles, clock.sm_clock), least};
}

}  // namespace tilecast
