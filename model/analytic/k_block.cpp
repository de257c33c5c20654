#include "model/analytic/k_block.h"

#include <algorithm>

#include "model/tile/smem_layout.h"

namespace tilecast {

KBlock k_block(const WgmmaSpec& wgmma, const KernelConfig& config) {
  const Tiling& t = config.tiling;
  const i32 n = instruction_n(config);
  const double instructions =
      warpgroups_per_tile(t) * wgmmas_along_m(t) * wgmmas_along_n(config) * (t.block_k / kWgmmaK);
  const i32 rows_read = n + (config.a_source == OperandSource::kShared ? kWgmmaM : 0);
  const Bytes bytes{static_cast<double>(rows_read * kWgmmaK * kOperandBytes)};
  const Cycles tensor = compute_cycles(Flops{2.0 * kWgmmaM * n * kWgmmaK}, wgmma.flops_per_sm);
  const Cycles operands = transfer_cycles(bytes, wgmma.operand_rate);
  const SmemLayout smem = smem_layout(config.schedule, t);
  return {.mma = (std::max(tensor, operands) + wgmma.issue_overhead) * instructions,
          .operands = operands * instructions,
          .operand_bytes = bytes * instructions,
          .a_fill = Bytes{static_cast<double>(smem.a_stage_bytes)},
          .b_fill = Bytes{static_cast<double>(smem.b_stage_bytes)}};
}

}  // namespace tilecast
