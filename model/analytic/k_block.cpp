#include "model/analytic/k_block.h"

#include "model/analytic/tensor_operation.h"
#include "model/tile/smem_layout.h"

namespace tilecast {

KBlock k_block(const GpuSpec& gpu, const KernelConfig& config) {
  const TensorOperation operation = tensor_operation(gpu, config);
  const double instructions = operation.per_k_block;
  const SmemLayout smem = smem_layout(config.schedule, config.tiling);
  return {.mma = operation.interval * instructions,
          .operands = operation.operands * instructions,
          .operand_bytes = operation.operand_bytes * instructions,
          .a_fill = Bytes{static_cast<double>(smem.a_stage_bytes)},
          .b_fill = Bytes{static_cast<double>(smem.b_stage_bytes)}};
}

}  // namespace tilecast
