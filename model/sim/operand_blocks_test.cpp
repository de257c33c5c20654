#include "model/sim/operand_blocks.h"

#include "model/sim/example_gpu.h"
#include "tests/catch.h"

using namespace tilecast;

namespace {

OperandBlocks a_of(const GemmProblem& problem, i32 sharers, u32 tiles) {
  const KernelConfig config = plain(Schedule::kWarpSpecialized);
  return {example_gpu(), problem,
          config,        {problem.shape.m, 64, tiles, sharers, false, problem.shape.k},
          100,           kExampleClock};
}

}  // namespace

TEST_CASE("Every block of an operand has a number of its own, without gaps") {
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
  CHECK(cost.l2.ps == 32000);     // 8192 B at 256 GB/s
  CHECK(cost.dram.ps == 81920);   // 8192 B at 200 GB/s x 0.5
  CHECK(cost.fill.ps == 128000);  // 8192 B at 64 B/cycle
  CHECK(cost.zeros.ps == 0);
}

TEST_CASE("Rows and K beyond the edge cost L2 nothing, and the SM that loads them more") {
  const OperandBlocks a = a_of(fp16(80, 64, 96), 1, 3);
  CHECK(a.cost(1, 0, 0).bytes == 16 * 64 * 2);  // rows 64 to 79
  CHECK(a.cost(1, 0, 0).zeros.ps == 96000);     // 48 rows, 6144 B, once more at 64 B/cycle
  CHECK(a.cost(0, 0, 1).bytes == 64 * 32 * 2);  // K from 64 to 95
  CHECK(a.cost(2, 0, 0).bytes == 0);            // wholly beyond C
  CHECK(a.cost(2, 0, 0).fill.ps == 128000);
}

TEST_CASE("Rows that start off 128-byte lines take more of L2's output") {
  // K = 136: rows are 272 bytes apart, odd multiples of 16; K = 128 + 32: of 64.
  CHECK(a_of(fp16(64, 64, 136), 1, 1).cost(0, 0, 0).l2.ps == 64000);  // / 0.5
  CHECK(a_of(fp16(64, 64, 160), 1, 1).cost(0, 0, 0).l2.ps == 35556);  // / 0.9
}
