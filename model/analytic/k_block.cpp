#include "model/analytic/k_block.h"

#include "model/spec/fused_epilogue.h"
#include "model/spec/tensor_operation.h"
#include "model/tile/smem_layout.h"

namespace tilecast {

KBlock k_block(const KernelAt& kernel) {
  const TensorOperation operation = tensor_operation(kernel.gpu, kernel.config);
  const SmemLayout smem = smem_layout(kernel.config.schedule, kernel.tiling());
  const Cycles promotion =
      promotion_beside(kernel.problem, kernel.tiling()) * warpgroups_per_tile(kernel.tiling());
  return {.mma = operation.interval * operation.of_cta() + promotion,
          .operands = operation.operands * operation.of_cta(),
          .a_fill = Bytes{static_cast<double>(smem.a_stage_bytes)},
          .b_fill = Bytes{static_cast<double>(smem.b_stage_bytes)}};
}

}  // namespace tilecast
