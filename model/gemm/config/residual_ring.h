// R, the matrix that an epilogue loads (OutputKind::kLoad), on its way through the ring of stages:
// behind a tile's last K block its producer loads the tile's part of R into the next stages, in
// chunks that lie as those of C do (c_chunk.cuh), and whoever has multiplied adds them to its sums
// and releases the stages. The ring is loaded ahead, so R has come when the sums are complete, and
// takes neither room nor barriers of its own. Elsewhere, and where rows of R are not whole 16
// bytes, threads load R at the tile's end.
//
// Checked by: residual_ring_test.cpp; its steps by tests/roles.
#pragma once

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

/// Chunks of each warpgroup of a tile in one stage: over those of B, then those of A.
TILECAST_HD constexpr i32 residual_chunks_in_stage(Schedule schedule, const Tiling& t,
                                                   i32 column_bytes) {
  const SmemLayout layout = smem_layout(schedule, t, column_bytes);
  const i32 in_stage =
      layout.a_stage_bytes / layout.c_slot_bytes + layout.b_stage_bytes / layout.c_slot_bytes;
  return min_of(c_chunks(t), in_stage / warpgroups_per_tile(t));
}

/// Stages that a tile's R takes; 0 where threads load it. Two warpgroups that take tiles in turn
/// tell the rounds of the ring apart by a parity, so one waits for all stages of its R before the
/// other goes on, and these must be fewer than all.
TILECAST_HD constexpr i32 residual_stages(const KernelConfig& config, i32 column_bytes,
                                          const Epilogue& epilogue) {
  const Tiling& t = config.tiling;
  if (!epilogue.has(OutputKind::kLoad) || has_block_scales(epilogue) ||
      !has_producer_warpgroup(config.schedule) || splits_k(config.schedule) ||
      c_last_columns(t) > 0 || config.operands == OperandOrder::kSwapped) {
    return 0;
  }
  const i32 together = residual_chunks_in_stage(config.schedule, t, column_bytes);
  const i32 stages = together == 0 ? 0 : ceil_div(c_chunks(t), together);
  return stages < t.stages || traits_of(config.schedule).tiles_at_once == 1 ? stages : 0;
}

/// Rows of R that the copy engine can load: they begin and end at whole 16 bytes.
TILECAST_HD constexpr bool residual_through_ring(const GemmProblem& problem,
                                                 const KernelConfig& config) {
  return residual_stages(config, c_column_bytes(problem), problem.epilogue) > 0 &&
         c_rows_allow_tma(problem);
}

}  // namespace tilecast
