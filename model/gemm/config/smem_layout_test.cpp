#include "model/gemm/config/smem_layout.h"

#include <utility>

#include "tests/catch.h"

namespace tilecast {
namespace {

constexpr i32 kMostOfHopperCta = 232448;

Tiling tile(i32 m, i32 n, i32 k, i32 stages, i32 warpgroups_m, i32 warpgroups_n, i32 c_slots) {
  return {m, n, k, stages, warpgroups_m, warpgroups_n, 1, 1, c_slots};
}

/// A kernel whose warpgroups have this many columns.
KernelConfig of_columns(i32 block_n, i32 warpgroups_n = 1) {
  KernelConfig config = fixed_by_schedule(Schedule::kWarpSpecialized);
  config.tiling = tile(64, block_n, 64, 2, 1, warpgroups_n, 2);
  return config;
}

TEST_CASE("Slots of C scale with the bytes of C per column") {
  const Tiling t = tile(128, 256, 64, 3, 2, 1, 2);
  // 64 rows x 64 columns
  CHECK(c_slot_bytes(Schedule::kWarpSpecialized, t, 4) == 16384);
  CHECK(c_slot_bytes(Schedule::kWarpSpecialized, t, 1) == 4096);
  KernelConfig config{};
  config.schedule = Schedule::kWarpSpecialized;
  config.tiling = t;
  CHECK(c_box_columns(config, 4, {}) == 32);  // a swizzle row of 128 bytes
  CHECK(c_box_columns(config, 2, {}) == 64);
  CHECK(c_box_columns(config, 1, {}) == 64);
  CHECK(c_slots_beside(config, 4) == 2 * 2 * 8192);  // two warpgroups, two slots each
  CHECK(c_slots_beside(config, 2) == 0);
  CHECK(smem_layout(config.schedule, t, 4).total_bytes ==
        smem_layout(config.schedule, t).total_bytes + c_slots_beside(config, 4));
}

TEST_CASE("The layout of 128x256x64 with four stages and two warpgroups, by hand") {
  const auto layout_of = [](i32 stages) {
    return smem_layout(Schedule::kPipelined, tile(128, 256, 64, stages, 2, 1, 2));
  };
  const SmemLayout layout = layout_of(4);
  CHECK(layout.a_stage_bytes == 16384);           // 128 x 64 x 2 B = 16 KiB
  CHECK(layout.b_stage_bytes == 32768);           // 256 x 64 x 2 B = 32 KiB
  CHECK(layout.b_stages == 4);                    // as many stages as for A
  CHECK(layout.c_slot_bytes == 8192);             // 64 rows x 64 columns x 2 B
  CHECK(layout.b_offset == 65536);                // after 4 stages of A
  CHECK(layout.c_offset == 196608);               // after 4 stages of B: 65536 + 131072
  CHECK(layout.barrier_offset == 229376);         // two warpgroups x two slots x 8 KiB
  CHECK(layout.total_bytes == 229440);            // a full and an empty barrier of 8 B per stage
  CHECK(layout.total_bytes <= kMostOfHopperCta);  // the limit is not exceeded,
  CHECK(layout_of(5).total_bytes > kMostOfHopperCta);  // but a fifth stage exceeds it
}

TEST_CASE("Ping-pong stages C for both tiles in flight") {
  const Tiling t = tile(64, 256, 64, 4, 1, 1, 2);
  const SmemLayout one = smem_layout(Schedule::kPipelined, t);
  const SmemLayout two = smem_layout(Schedule::kPingPong, t);
  CHECK(one.barrier_offset - one.c_offset == 2 * 8192);
  CHECK(two.barrier_offset - two.c_offset == 4 * 8192);  // two consumers x two slots
}

TEST_CASE("Stores are 64 columns wide, but for the last of a row, which has a map of its own") {
  const auto boxes = [](i32 block_n, i32 warpgroups_n) {
    const KernelConfig config = of_columns(block_n, warpgroups_n);
    return std::pair(c_box_columns(config, 2, {}), c_last_columns(config, 2, {}));
  };
  CHECK(boxes(128, 1) == std::pair(64, 0));
  CHECK(boxes(160, 1) == std::pair(64, 32));
  CHECK(boxes(96, 1) == std::pair(32, 0));
  CHECK(boxes(144, 1) == std::pair(64, 16));
  CHECK(boxes(176, 1) == std::pair(64, 48));
  CHECK(boxes(168, 1) == std::pair(64, 40));
  CHECK(boxes(136, 1) == std::pair(64, 8));
  CHECK(boxes(256, 2) == std::pair(64, 0));   // 128 columns each
  CHECK(boxes(224, 2) == std::pair(64, 48));  // 112 each
  CHECK(boxes(16, 1) == std::pair(16, 0));    // a row fills one swizzle row
  CHECK(boxes(32, 1) == std::pair(32, 0));
  CHECK(boxes(48, 1).second == 48);
  CHECK(boxes(24, 1).second == 24);
  CHECK(c_chunks(of_columns(168).tiling) == 3);
  CHECK(c_slot_columns(of_columns(168).tiling) == 64);
  CHECK(c_slot_columns(of_columns(40).tiling) == 40);
}

TEST_CASE("Where the last chunk has no map, a store is as wide as divides all chunks") {
  const auto box = [](i32 block_n, i32 column_bytes, const Epilogue& epilogue) {
    return std::pair(c_box_columns(of_columns(block_n), column_bytes, epilogue),
                     c_last_columns(of_columns(block_n), column_bytes, epilogue));
  };
  CHECK(box(144, 4, {}) == std::pair(16, 0));
  CHECK(box(160, 1, {}) == std::pair(32, 0));
  CHECK(box(160, 2, {step<Residual>()}) == std::pair(32, 0));
  CHECK(box(176, 2, {step<Swiglu>()}) == std::pair(16, 0));
  CHECK(box(168, 2, {step<Residual>()}) == std::pair(64, 40));
  KernelConfig by_threads = of_columns(160);
  by_threads.schedule = Schedule::kMultistage;
  CHECK(c_last_columns(by_threads, 2, {}) == 0);
}

TEST_CASE("A slot is up to 64 columns wide, and the last one of a row may be partial") {
  const Tiling narrow = tile(64, 32, 64, 2, 1, 1, 1);
  CHECK(c_slot_columns(narrow) == 32);
  CHECK(smem_layout(Schedule::kPipelined, narrow).c_slot_bytes == 4096);  // 64 x 32 x 2 B
  CHECK(c_chunks(narrow) == 1);
  CHECK(c_chunks(tile(64, 96, 64, 2, 1, 1, 1)) == 2);  // 64 columns and 32
  CHECK(c_chunks(tile(64, 64, 64, 2, 1, 1, 1)) == 1);
  CHECK(c_chunks(tile(64, 80, 64, 2, 1, 1, 1)) == 2);    // 64 and 16
  CHECK(c_chunks(tile(128, 256, 64, 2, 1, 1, 1)) == 8);  // 2 wgmma rows x 4
  CHECK(c_chunks(tile(128, 256, 64, 2, 2, 1, 1)) == 4);  // for each of two warpgroups
  CHECK(c_chunks(tile(128, 256, 64, 2, 1, 2, 1)) == 4);  // 2 rows x 128 columns
}

TEST_CASE("A kernel with one tile per CTA may borrow the whole ring for C if the tile fits") {
  // 64x256 of C is 32 KiB. A stage with block_k 32 is (64 + 256) x 32 x 2 = 20 KiB, so two stages
  // suffice.
  const auto fits = [](i32 stages) {
    return c_fits_where_it_is_staged(Schedule::kPipelined, tile(64, 256, 32, stages, 1, 1, 0));
  };
  CHECK_FALSE(fits(1));
  CHECK(fits(2));
  // C takes whole slots: 64x80 takes two of 8 KiB; a stage with block_k 64 is 8 + 10 KiB.
  CHECK(c_fits_where_it_is_staged(Schedule::kBlocked, tile(64, 80, 64, 1, 1, 1, 0)));
  // 320x80 takes ten slots, 80 KiB; a stage with block_k 64 is 40 + 10 KiB, with 128 it is 100 KiB.
  CHECK_FALSE(c_fits_where_it_is_staged(Schedule::kBlocked, tile(320, 80, 64, 1, 5, 1, 0)));
  CHECK(c_fits_where_it_is_staged(Schedule::kBlocked, tile(320, 80, 128, 1, 5, 1, 0)));
}

TEST_CASE("persistent_overlap has one extra B stage if C borrows, and two B stages hold the tile") {
  const SmemLayout borrows =
      smem_layout(Schedule::kPersistentOverlap, tile(128, 256, 64, 4, 2, 1, 0));
  CHECK(borrows.b_stages == 5);
  CHECK(borrows.c_offset == 65536 + 5 * 32768);
  CHECK(borrows.total_bytes == 229376 + 64);  // no slots for C
  CHECK(smem_layout(Schedule::kPersistentOverlap, tile(128, 256, 64, 4, 2, 1, 2)).b_stages == 4);
  // 128x256 of C is 64 KiB, the same as two B stages with block_k 64; with block_k 32 they are half
  // that.
  CHECK(c_fits_where_it_is_staged(Schedule::kPersistentOverlap, tile(128, 256, 64, 4, 2, 1, 0)));
  CHECK_FALSE(
      c_fits_where_it_is_staged(Schedule::kPersistentOverlap, tile(128, 256, 32, 4, 2, 1, 0)));
  // A slot does not straddle stages: a B stage of 160x64 is 20 KiB and holds two whole slots of 8.
  // 64x160 of C takes three slots, 128x160 takes six.
  CHECK(c_fits_where_it_is_staged(Schedule::kPersistentOverlap, tile(64, 160, 64, 4, 1, 1, 0)));
  CHECK_FALSE(
      c_fits_where_it_is_staged(Schedule::kPersistentOverlap, tile(128, 160, 64, 4, 2, 1, 0)));
}

TEST_CASE("Every ring and every C slot starts at a swizzle atom") {
  for (const Schedule schedule : {Schedule::kPipelined, Schedule::kPersistentOverlap}) {
    for (int m = 64; m <= 320; m += 64) {
      for (int n = 16; n <= 256; n += 8) {
        for (const int k : {32, 64, 128}) {
          if (k == 32 && n % 16 != 0) {
            continue;  // not legal
          }
          for (const int slots : {0, 3}) {
            const SmemLayout layout = smem_layout(schedule, tile(m, n, k, 3, 1, 1, slots));
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
  }
}

TEST_CASE("Threads, accumulators and wgmmas of a tile, by hand") {
  const Tiling rows = tile(128, 256, 64, 4, 2, 1, 2);
  CHECK(threads_per_cta(Schedule::kPipelined, rows) == 256);
  CHECK(threads_per_cta(Schedule::kWarpSpecialized, rows) == 384);  // one producer warpgroup
  CHECK(accumulator_registers(rows) == 128);                        // 64 x 256 / 128 threads
  CHECK(wgmmas_along_m(rows) == 1);
  CHECK(wgmmas_along_m(tile(256, 128, 64, 4, 2, 1, 2)) == 2);  // 128 rows per warpgroup
  const Tiling columns = tile(128, 256, 64, 4, 1, 2, 2);
  CHECK(accumulator_registers(columns) == 128);  // 128 x 128 / 128 threads
  CHECK(wgmmas_along_m(columns) == 2);
  // Two consumers with a tile each, plus the producer.
  CHECK(threads_per_cta(Schedule::kPingPong, tile(64, 256, 64, 4, 1, 1, 2)) == 384);
  CHECK(cluster_size({128, 256, 64, 4, 2, 1, 2, 2, 2}) == 4);
}

TEST_CASE("The instruction is the widest step of 16 that divides a warpgroup's columns") {
  const auto instruction = [](i32 block_n, i32 warpgroups_n, i32 asked = 0) {
    KernelConfig config = fixed_by_schedule(Schedule::kPipelined);
    config.tiling = tile(64, block_n, 64, 2, 1, warpgroups_n, 2);
    config.instruction_n = asked;
    return instruction_n(config);
  };
  CHECK(instruction(256, 1) == 256);
  CHECK(instruction(144, 1) == 144);
  CHECK(instruction(256, 2) == 128);
  CHECK(instruction(320, 1) == 160);  // two of 160, since 320 is too wide
  CHECK(instruction(272, 1) == 16);   // 17 x 16: no wider divisor of at most 256
  CHECK(instruction(16, 1) == 16);
  CHECK(instruction(168, 1) == 168);  // an odd multiple of eight: one instruction
  CHECK(instruction(336, 2) == 168);
  CHECK(instruction(256, 1, 32) == 32);  // as configured
  KernelConfig config = fixed_by_schedule(Schedule::kSmallMma);
  config.tiling = tile(64, 256, 64, 1, 1, 2, 0);
  config.instruction_n = 32;
  CHECK(wgmmas_along_n(config) == 4);  // 128 columns each
}

}  // namespace
}  // namespace tilecast
