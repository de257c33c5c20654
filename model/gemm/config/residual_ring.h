// Loads of the residual R (OutputKind::kLoad) through the pipeline stages. After a tile's last K
// block the producer loads the tile's part of R into the next stages, in chunks laid out like those
// of C (c_chunk.cuh); the consumers add them to their accumulators and release the stages. Since
// the ring runs ahead, R has arrived when the accumulators are complete, and it needs no separate
// buffers or barriers. Threads load R at the tile's end in other schedules, and if rows of R are
// not multiples of 16 bytes.
//
// Checked by: residual_ring_test.cpp; the order of its steps by tests/roles.
#pragma once

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

/// Chunks per warpgroup in one stage: B's part of the stage is filled first, then A's.
TILECAST_HD constexpr i32 residual_chunks_in_stage(Schedule schedule, const Tiling& t,
                                                   i32 column_bytes) {
  const SmemLayout layout = smem_layout(schedule, t, column_bytes);
  const i32 in_stage =
      layout.a_stage_bytes / layout.c_slot_bytes + layout.b_stage_bytes / layout.c_slot_bytes;
  return min_of(c_chunks(t), in_stage / warpgroups_per_tile(t));
}

/// Number of stages for a tile's R; 0 if threads load it. One parity bit distinguishes the rounds
/// of a ping-pong warpgroup's ring. So it waits for all stages of its R before the other warpgroup
/// continues, and R must take fewer than all stages.
TILECAST_HD constexpr i32 residual_stages(const KernelConfig& config, i32 column_bytes,
                                          const Epilogue& epilogue) {
  const Tiling& t = config.tiling;
  if (!epilogue.has(OutputKind::kLoad) || has_block_scales(epilogue) ||
      !has_producer_warpgroup(config.schedule) || splits_k(config.schedule) ||
      c_last_columns(config, column_bytes, epilogue) > 0 ||
      config.operands == OperandOrder::kSwapped) {
    return 0;
  }
  const i32 together = residual_chunks_in_stage(config.schedule, t, column_bytes);
  const i32 stages = together == 0 ? 0 : ceil_div(c_chunks(t), together);
  return stages < t.stages || traits_of(config.schedule).tiles_at_once == 1 ? stages : 0;
}

/// Whether the copy engine can load rows of R: they start and end on 16-byte boundaries.
TILECAST_HD constexpr bool residual_through_ring(const GemmProblem& problem,
                                                 const KernelConfig& config) {
  return residual_stages(config, c_column_bytes(problem), problem.epilogue) > 0 &&
         c_rows_allow_tma(problem);
}

}  // namespace tilecast
