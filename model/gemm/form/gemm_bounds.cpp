#include "model/gemm/form/gemm_bounds.h"

#include "model/base/math.h"
#include "model/gemm/problem/group_rows.h"

namespace tilecast {

HardBounds hard_bounds(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config) {
  const GemmShape& shape = problem.shape;
  const Tiling& t = config.tiling;
  const RowsOfTiles rows = rows_of_tiles(problem, config);
  // A pair of CTAs that share a tcgen05 instruction loads each column of B once.
  const i64 pair = uses_tcgen05(config.schedule) ? cta_group(t) : 1;
  const double vectors = static_cast<double>(rows.existing * ceil_div<i64>(shape.n, t.block_n)) +
                         static_cast<double>(shape.n * ceil_div(rows.tiles, pair));
  const Bytes operands{vectors * mean_k(problem) * element_bytes(problem.dtype)};
  const double sms = gpu.sm.count;
  return {
      .tensor = compute_cycles(Flops{multiplied_flops(problem, config)}, tensor_rate(gpu) * sms),
      .intake = transfer_cycles(operands, operand_rate(gpu) * sms),
      .dram = transfer_time(Bytes{gemm_bytes(problem)}, highest_dram_rate(gpu)),
      .dram_peak = transfer_time(Bytes{gemm_bytes(problem)}, gpu.dram->bandwidth),
      .launch = gpu.machine->kernel,
      .highest_clock = gpu.learned != nullptr ? Hertz{} : gpu.clock->max};
}

}  // namespace tilecast
