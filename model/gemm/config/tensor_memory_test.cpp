#include "model/gemm/config/tensor_memory.h"

#include "model/gemm/config/smem_layout.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

KernelConfig with(i32 block_n, i32 accumulators, i32 ctas) {
  KernelConfig config = fixed_by_schedule(Schedule::kTcgen05WarpSpecialized);
  config.tiling.block_m = 128;
  config.tiling.block_n = block_n;
  config.tiling.block_k = 64;
  config.accumulators = accumulators;
  config.ctas_per_sm = ctas;
  return config;
}

}  // namespace

TEST_CASE("Tensor memory is allocated in powers of two, from 32 to 512 columns") {
  CHECK(tensor_memory_columns(with(16, 1, 1)) == 32);
  CHECK(tensor_memory_columns(with(32, 1, 1)) == 32);
  CHECK(tensor_memory_columns(with(64, 1, 1)) == 64);
  CHECK(tensor_memory_columns(with(192, 1, 1)) == 256);
  CHECK(tensor_memory_columns(with(256, 2, 1)) == 512);
  CHECK(tensor_memory_suffices(with(256, 2, 1)));
  CHECK(tensor_memory_suffices(with(128, 2, 2)));   // 256 columns each
  CHECK(!tensor_memory_suffices(with(192, 2, 2)));  // 512 each
}

TEST_CASE("Shared memory of a pair holds half of B in each CTA, by hand") {
  KernelConfig config = with(256, 2, 1);
  config.tiling.stages = 6;
  config.tiling.cluster_m = 2;
  config.tiling.c_slots = 2;
  const SmemLayout layout = smem_layout(config.schedule, config.tiling);
  CHECK(layout.a_stage_bytes == 16384);    // 128 x 64 x 2 B
  CHECK(layout.b_stage_bytes == 16384);    // 128 of the 256 rows
  CHECK(layout.c_slot_bytes == 16384);     // 128 rows x 64 columns x 2 B
  CHECK(layout.c_offset == 196608);        // 6 x 32 KiB
  CHECK(layout.barrier_offset == 229376);  // two slots of C
  CHECK(layout.tcgen05_offset == 229472);  // twelve barriers of 8 B; a multiple of 16
  CHECK(layout.total_bytes == 229584);     // 32 B of responses, 32 + 32 B of barriers, 16 B
  CHECK(layout.total_bytes <= 232448);     // limit per CTA
  config.tiling.cluster_m = 1;
  CHECK(smem_layout(config.schedule, config.tiling).b_stage_bytes == 32768);
}

TEST_CASE("C fits in the two free B stages of persistent_overlap, for a single CTA") {
  KernelConfig config = with(256, 1, 1);
  config.tiling.stages = 4;
  const Schedule overlap = Schedule::kTcgen05PersistentOverlap;
  // C is 128 x 256 x 2 B = 64 KiB; two stages of B are 64 KiB, or 32 KiB for a pair's half.
  CHECK(c_fits_where_it_is_staged(overlap, config.tiling));
  // Four stages of A, five of B: 4 x 16 + 5 x 32 KiB = 224 KiB.
  CHECK(smem_layout(overlap, config.tiling).c_offset == 229376);
  config.tiling.cluster_m = 2;
  CHECK(!c_fits_where_it_is_staged(overlap, config.tiling));
}

}  // namespace tilecast
