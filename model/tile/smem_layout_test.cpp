#include "model/tile/smem_layout.h"

#include "tests/catch.h"

namespace tilecast {
namespace {

TEST_CASE("The layout of 128x256x64 with four stages and two warpgroups, by hand") {
  const SmemLayout layout = smem_layout({128, 256, 64, 4, 2, 1, 1});
  CHECK(layout.a_stage_bytes == 16384);    // 128 x 64 x 2 B = 16 KiB
  CHECK(layout.b_stage_bytes == 32768);    // 256 x 64 x 2 B = 32 KiB
  CHECK(layout.c_slot_bytes == 8192);      // 64 rows x 64 columns x 2 B
  CHECK(layout.b_offset == 65536);         // after 4 stages of A
  CHECK(layout.c_offset == 196608);        // and 4 of B: 65536 + 131072
  CHECK(layout.barrier_offset == 229376);  // two warpgroups x two slots x 8 KiB
  CHECK(layout.total_bytes == 229440);     // a full and an empty barrier of 8 B for each stage
  CHECK(layout.total_bytes <= 232448);     // fits what a Hopper CTA can ask for,
  CHECK(smem_layout({128, 256, 64, 5, 2, 1, 1}).total_bytes > 232448);  // a fifth stage does not
}

TEST_CASE("A block_n that is no multiple of 64 stages half rows of C") {
  CHECK(epilogue_columns({64, 128, 64, 2, 1, 1, 1}) == 64);
  CHECK(epilogue_columns({64, 96, 64, 2, 1, 1, 1}) == 32);
  CHECK(smem_layout({64, 96, 64, 2, 1, 1, 1}).c_slot_bytes == 4096);  // 64 x 32 x 2 B
}

TEST_CASE("Every ring and every C slot starts at a swizzle atom") {
  for (int m = 64; m <= 256; m += 64) {
    for (int n = 32; n <= 256; n += 32) {
      for (int k = 64; k <= 128; k += 64) {
        const SmemLayout layout = smem_layout({m, n, k, 3, 1, 1, 1});
        CHECK(layout.a_stage_bytes % kSwizzleAtomBytes == 0);
        CHECK(layout.b_stage_bytes % kSwizzleAtomBytes == 0);
        CHECK(layout.c_slot_bytes % kSwizzleAtomBytes == 0);
        CHECK(layout.b_offset % kSwizzleAtomBytes == 0);
        CHECK(layout.c_offset % kSwizzleAtomBytes == 0);
        CHECK(layout.barrier_offset % kBarrierBytes == 0);
      }
    }
  }
}

TEST_CASE("Threads, accumulators and wgmmas of a tile, by hand") {
  const Tiling tiling{128, 256, 64, 4, 2, 2, 1};
  CHECK(threads_per_cta(Schedule::kPipelined, tiling) == 256);
  CHECK(threads_per_cta(Schedule::kWarpSpecialized, tiling) == 384);  // one producer warpgroup
  CHECK(accumulator_registers(tiling) == 128);                        // 64 x 256 / 128 threads
  CHECK(wgmmas_along_m(tiling) == 1);
  CHECK(wgmmas_along_m({256, 128, 64, 4, 2, 1, 1}) == 2);  // 128 rows of each warpgroup
  CHECK(cluster_size(tiling) == 2);
}

}  // namespace
}  // namespace tilecast
