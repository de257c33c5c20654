#include "model/gemm/sim/kernel/operand_blocks.h"

#include "model/gemm/sim/example_gpu.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"

using namespace tilecast;

namespace {

OperandBlocks a_of(const GemmProblem& problem, i32 sharers, u32 tiles, i32 step = 0) {
  const KernelConfig config = plain(Schedule::kWarpSpecialized);
  return {example_gpu(), problem,
          config,        {problem.shape.m, 64, tiles, 1, sharers, false, problem.shape.k, step},
          100,           BytesPerSecond{100e9},
          kExampleClock};
}

}  // namespace

TEST_CASE("The blocks of an operand are numbered uniquely, without gaps") {
  const OperandBlocks a = a_of(fp16(128, 64, 192), 2, 2);  // 2 tiles, 2 slices, 3 K blocks
  CHECK(a.count() == 12);
  u32 expected = 100;
  for (u32 tile = 0; tile < 2; ++tile) {
    for (u32 slice = 0; slice < 2; ++slice) {
      for (u32 k_block = 0; k_block < 3; ++k_block) {
        CHECK(a.block(tile, slice, k_block) == expected++);
      }
    }
  }
}

TEST_CASE("A whole block costs its bytes at each part's rate") {
  const BlockCost cost = a_of(fp16(128, 64, 128), 1, 2).cost(0, 0, 0);
  CHECK(cost.bytes == 64 * 64 * 2);
  CHECK(cost.sectors == 256);
  CHECK(cost.l2.ps == 32000);         // 8192 B at 256 B/cycle
  CHECK(cost.dram.ps == 81920);       // 8192 B at 100 GB/s
  CHECK(cost.fill.ps == 128000);      // 8192 B at 64 B/cycle
  CHECK(cost.requests.ps == 128000);  // 64 lines of two cycles
  CHECK(cost.outside.ps == 0);
}

TEST_CASE("Out-of-bounds rows and whole slabs are requested, the rest of a row costs nothing") {
  const OperandBlocks a = a_of(fp16(80, 64, 96), 1, 3);
  CHECK(a.cost(1, 0, 0).bytes == 16 * 64 * 2);  // rows 64 to 79
  CHECK(a.cost(1, 0, 0).outside.ps == 48000);   // 48 rows
  // 16 rows with a pitch of 192 bytes, half of which touch two lines, and the 48 missing ones: two
  // cycles per line.
  CHECK(a.cost(1, 0, 0).requests.ps == (24 + 48) * 2000);
  CHECK(a.cost(0, 0, 1).bytes == 64 * 32 * 2);  // K from 64 to 95
  CHECK(a.cost(0, 0, 1).outside.ps == 0);
  CHECK(a.cost(2, 0, 0).bytes == 0);  // wholly outside C
  CHECK(a.cost(2, 0, 0).fill.ps == 128000);
  CHECK(a.cost(2, 0, 0).outside.ps == 64000);
  // If rows are multiples of pairs of lines, two lines are requested per missing row: 48 rows of
  // 256 bytes.
  CHECK(a_of(fp16(80, 64, 128), 1, 3).cost(1, 0, 0).outside.ps == 96000);
  KernelConfig deep = plain(Schedule::kWarpSpecialized);
  deep.tiling.block_k = 192;  // three slabs; the two beyond K = 64 are requested needlessly
  const OperandBlocks slabs(example_gpu(), fp16(64, 64, 64), deep, {64, 64, 1, 1, 1, false, 64}, 0,
                            BytesPerSecond{100e9}, kExampleClock);
  CHECK(slabs.cost(0, 0, 0).outside.ps == 128000);
}

TEST_CASE("If only existing rows are loaded, missing ones cost nothing beyond the rest of a step") {
  // The second tile has 16 of the 80 rows: two steps of 8, which are half of the first slice of 32.
  const OperandBlocks eights = a_of(fp16(80, 64, 128), 1, 3, 8);
  CHECK(eights.cost(0, 0, 0).fill.ps == 128000);
  CHECK(eights.cost(1, 0, 0).bytes == 16 * 64 * 2);
  CHECK(eights.cost(1, 0, 0).fill.ps == 32000);  // 2048 B at 64 B/cycle
  CHECK(eights.cost(1, 0, 0).outside.ps == 0);
  CHECK(eights.cost(2, 0, 0).fill.ps == 0);  // wholly outside C
  CHECK(eights.cost(2, 0, 0).requests.ps == 0);
  const OperandBlocks slices = a_of(fp16(80, 64, 192), 2, 2, 32);
  CHECK(slices.cost(1, 0, 0).bytes == 16 * 64 * 2);
  CHECK(slices.cost(1, 0, 0).outside.ps == 16000);
  CHECK(slices.cost(1, 0, 0).fill.ps == 64000);
  CHECK(slices.cost(1, 1, 0).fill.ps == 0);
  CHECK(slices.cost(1, 1, 0).outside.ps == 0);
}

TEST_CASE("Unaligned rows take more requests and sectors") {
  // K = 160: rows with a pitch of 320 bytes start alternately at 0 and 64 of a line. They touch one
  // line or two, and four sectors.
  const BlockCost by_64 = a_of(fp16(64, 64, 160), 1, 1).cost(0, 0, 0);
  CHECK(by_64.requests.ps == 64 * 3000);  // 1.5 lines of two cycles
  CHECK(by_64.sectors == 256);
  CHECK(by_64.l2.ps == 32000);
  CHECK(by_64.unmerged.ps == 0);
  // K = 136: rows with a pitch of 272 bytes start at each multiple of 16. Half of them start inside
  // a sector and touch five. In sector pairs of a line: two if the row is aligned or off by 64,
  // otherwise three: (2 + 2 + 6 x 3) / 8 = 2.75, of which 4 x 3 / 8 start inside a sector.
  const BlockCost by_16 = a_of(fp16(64, 64, 136), 1, 1).cost(0, 0, 0);
  CHECK(by_16.requests.ps == 64 * 3750);  // 15 lines per 8 rows
  CHECK(by_16.sectors == 64 * 9 / 2);
  CHECK(by_16.l2.ps == 44000);
  CHECK(by_16.unmerged.ps == 24000);
}

TEST_CASE("If rows are whole pairs of lines, two K blocks of 64 are read together") {
  const OperandBlocks pairs = a_of(fp16(64, 64, 384), 1, 1);  // 768 B
  CHECK(pairs.fetch(0, 0, 3).first == pairs.block(0, 0, 2));
  CHECK(pairs.fetch(0, 0, 3).count == 2);
  const OperandBlocks lines = a_of(fp16(64, 64, 192), 1, 1);  // 384 B
  CHECK(lines.fetch(0, 0, 1).first == lines.block(0, 0, 1));
  CHECK(lines.fetch(0, 0, 1).count == 1);
}
