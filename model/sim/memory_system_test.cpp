#include "model/sim/memory_system.h"

#include "model/sim/example_gpu.h"
#include "tests/catch.h"

using namespace tilecast;

namespace {

// 25,600 bytes at 256 GB/s are 100 ns of L2 output, at 100 GB/s 256 ns of DRAM.
const BlockCost kBlock{.bytes = 25600, .l2 = {100000}, .dram = {256000}, .fill = {}, .zeros = {}};

i64 ns(SimTime time) { return time.ps / 1000; }

}  // namespace

TEST_CASE("The first load of a block comes from DRAM, one after its arrival from L2") {
  MemorySystem memory(example_gpu(), 4, nullptr);
  CHECK(ns(memory.load({0}, 0, kBlock, 0)) == 956);         // 256 + 700
  CHECK(ns(memory.load({2000000}, 0, kBlock, 0)) == 2500);  // 100 + 400
  CHECK(memory.traffic().dram_read == 25600);
  CHECK(memory.traffic().l2_output == 51200);
}

TEST_CASE("A request of the same group is merged until the bytes have arrived, and not after") {
  MemorySystem memory(example_gpu(), 4, nullptr);
  memory.load({0}, 0, kBlock, 0);  // arrives at 956 ns
  CHECK(ns(memory.load({955999}, 0, kBlock, 0)) == 956);
  CHECK(memory.traffic().l2_output == 25600);
  CHECK(ns(memory.load({956000}, 0, kBlock, 0)) == 1456);  // 956 + 100 + 400
  CHECK(memory.traffic().l2_output == 51200);
  CHECK(memory.traffic().l2_to_sm == 76800);
}

TEST_CASE("Another group's request takes L2's output, but DRAM reads the block once") {
  MemorySystem memory(example_gpu(), 4, nullptr);
  memory.load({0}, 0, kBlock, 0);
  CHECK(ns(memory.load({0}, 0, kBlock, 1)) == 956);  // the same arrival from DRAM
  CHECK(memory.traffic().l2_output == 51200);
  CHECK(memory.traffic().dram_read == 25600);
}

TEST_CASE("A block crosses to the other partition once") {
  MemorySystem memory(example_gpu(), 4, nullptr);
  for (const u32 group : {0u, 1u, 2u, 3u, 1u, 0u}) {  // of both partitions, even and odd
    memory.load({0}, 0, kBlock, group);
  }
  CHECK(memory.traffic().far == 25600);
}

TEST_CASE("No more requests are merged than the limit allows") {
  GpuSpec gpu = example_gpu();
  gpu.l2->merge_limit = 2;
  MemorySystem memory(gpu, 4, nullptr);
  for (int request = 0; request < 4; ++request) {
    memory.load({0}, 0, kBlock, 0);
  }
  CHECK(memory.traffic().l2_output == 51200);  // two and two
}

TEST_CASE("Requests of different blocks queue for L2's output but not for its latency") {
  BlockCost from_l2 = kBlock;
  from_l2.dram = {};
  GpuSpec gpu = example_gpu();
  gpu.tma->dram_latency = gpu.tma->l2_latency;
  MemorySystem memory(gpu, 4, nullptr);
  CHECK(ns(memory.load({0}, 0, from_l2, 0)) == 500);
  CHECK(ns(memory.load({0}, 1, from_l2, 0)) == 600);
}

TEST_CASE("What was written goes to DRAM when its room is needed") {
  GpuSpec gpu = example_gpu();
  gpu.l2->capacity = {51200 / gpu.l2->usable_fraction};  // two blocks
  MemorySystem memory(gpu, 4, nullptr);
  memory.store({0}, 3, 25600);
  memory.load({0}, 0, kBlock, 0);
  CHECK(memory.traffic().dram_write == 0);
  memory.load({0}, 1, kBlock, 0);
  CHECK(memory.traffic().dram_write == 25600);
}
