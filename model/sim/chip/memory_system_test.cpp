#include "model/sim/chip/memory_system.h"

#include <algorithm>

#include "model/gemm/sim/example_gpu.h"
#include "tests/catch.h"

using namespace tilecast;

namespace {

// 25,600 bytes, 800 sectors: 100 ns of L2 output, 256 ns of DRAM at 100 GB/s.
const BlockCost kBlock{.bytes = 25600, .sectors = 800, .l2 = {100000}, .dram = {256000}};

i64 ns(SimTime time) { return time.ps / 1000; }

/// Loads blocks that L2 reads one at a time; each request is made at once.
class Loads {
 public:
  explicit Loads(const GpuSpec& gpu = example_gpu()) : memory_(gpu, 4, kExampleClock, nullptr) {}
  i64 at(i64 when_ns, u32 block, u32 gpc, const BlockCost& cost = kBlock) {
    const SimTime now{when_ns * 1000};
    return ns(memory_.load(now, now, {}, block, {block, 1}, cost, {gpc, 0, 0}));
  }
  MemorySystem& memory() { return memory_; }
  const MemoryTraffic& traffic() const { return memory_.traffic(); }

 private:
  MemorySystem memory_;
};

}  // namespace

TEST_CASE("The first load of a block comes from DRAM, a later one from L2") {
  Loads loads;
  CHECK(loads.at(0, 0, 0) == 956);      // 256 + 300 + 400
  CHECK(loads.at(2000, 0, 0) == 2500);  // 100 + 400
  CHECK(loads.traffic().dram_read == 25600);
  CHECK(loads.traffic().l2_output == 51200);
}

TEST_CASE("A load waits until the copy engine has requested its lines") {
  MemorySystem memory(example_gpu(), 4, kExampleClock, nullptr);
  CHECK(ns(memory.load({0}, {600000}, {}, 0, {0, 1}, kBlock, {})) == 1300);  // 600 + 300 + 400
}

TEST_CASE("Requests of a GPC merge until merge_window after L2 delivered the lines") {
  Loads loads;
  loads.at(0, 0, 0);
  CHECK(loads.at(498, 0, 0) == 956);  // 100 and a window of 400 ns; steps of 1.024 ns
  CHECK(loads.traffic().l2_output == 25600);
  CHECK(loads.at(501, 0, 0) == 1001);  // from L2 again, 100 + 400 later
  CHECK(loads.traffic().l2_output == 51200);
  CHECK(loads.traffic().l2_to_sm == 76800);
}

TEST_CASE("Requests merge with one that waits in L2's queue, and wait as long") {
  BlockCost from_l2 = kBlock;
  from_l2.dram = {};
  GpuSpec gpu = example_gpu();
  gpu.machine->dram_latency = {};
  gpu.machine->merge_window = {1};
  Loads loads(gpu);
  for (u32 block = 0; block < 3; ++block) {
    loads.at(0, block, 0, from_l2);
  }
  CHECK(loads.at(0, 3, 0, from_l2) == 800);  // queues after three others of 100
  // The same lines are merged; a merged request's time is a multiple of 1.024 ns.
  CHECK(loads.at(350, 3, 0, from_l2) == 799);
  CHECK(loads.at(410, 3, 0, from_l2) == 910);  // served again, 100 + 400 later
  CHECK(loads.traffic().l2_output == 5 * 25600);
}

TEST_CASE("Without a merge window nothing is merged") {
  GpuSpec gpu = example_gpu();
  gpu.machine->merge_window = {};
  Loads loads(gpu);
  loads.at(0, 0, 0);
  loads.at(0, 0, 0);
  CHECK(loads.traffic().l2_output == 2 * 25600);
}

TEST_CASE("An idle memory responds on time, a busy one late by up to load_spread") {
  BlockCost from_l2 = kBlock;
  from_l2.dram = {};
  GpuSpec gpu = example_gpu();
  gpu.machine->dram_latency = {};
  gpu.machine->load_spread = {100'000};
  MemorySystem memory(gpu, 4096, kExampleClock, nullptr);
  CHECK(ns(memory.load({0}, {0}, {}, 0, {0, 1}, {.bytes = 32, .sectors = 1}, {})) == 400);
  i64 latest = 0;
  for (u32 block = 1; block < 100; ++block) {
    const i64 on_time = 100 * block + 400;
    const i64 late = ns(memory.load({0}, {0}, {}, block, {block, 1}, from_l2, {})) - on_time;
    CHECK(late >= 0);
    CHECK(late < 100'000);
    latest = std::max(latest, late);
  }
  CHECK(latest > 50'000);
}

TEST_CASE("A multicast is not merged with other requests") {
  MemorySystem memory(example_gpu(), 4, kExampleClock, nullptr);
  memory.load({0}, {0}, {}, 0, {0, 1}, kBlock, {}, true);
  memory.load({0}, {0}, {}, 0, {0, 1}, kBlock, {}, true);
  memory.load({0}, {0}, {}, 0, {0, 1}, kBlock, {});
  CHECK(memory.traffic().l2_output == 3 * 25600);
}

TEST_CASE("Another GPC's request takes L2 output again, but DRAM reads the block once") {
  Loads loads;
  loads.at(0, 0, 0);
  CHECK(loads.at(0, 0, 1) == 956);  // arrives with the same DRAM read
  CHECK(loads.traffic().l2_output == 51200);
  CHECK(loads.traffic().dram_read == 25600);
}

TEST_CASE("Rows that start inside a sector take L2 output even if their request is merged") {
  BlockCost shifted = kBlock;
  shifted.unmerged = {50000};
  shifted.unmerged_sectors = 400;
  Loads loads;
  loads.at(0, 0, 0, shifted);
  loads.at(0, 0, 0, shifted);
  CHECK(loads.traffic().l2_output == 25600 + 12800);
}

TEST_CASE("Blocks in one pair of lines are read from DRAM together") {
  MemorySystem memory(example_gpu(), 4, kExampleClock, nullptr);
  CHECK(ns(memory.load({0}, {0}, {}, 0, {0, 2}, kBlock, {})) == 1212);  // 2 x 256 + 300 + 400
  CHECK(memory.traffic().dram_read == 51200);
  CHECK(ns(memory.load({2000000}, {2000000}, {}, 1, {0, 2}, kBlock, {})) == 2500);
  CHECK(memory.traffic().dram_read == 51200);
}

TEST_CASE("A block crosses to the other partition once") {
  Loads loads;
  for (const u32 gpc : {0u, 1u, 2u, 3u, 1u, 0u}) {  // GPCs of both partitions, even and odd
    loads.at(0, 0, gpc);
  }
  CHECK(loads.traffic().far == 25600);
}

TEST_CASE("Out-of-bounds rows serve the SMs of a GPC in turn, independently of other GPCs") {
  MemorySystem memory(example_gpu(), 4, kExampleClock, nullptr);
  BlockCost outside = kBlock;
  outside.outside = {100000};
  CHECK(ns(memory.load_outside({0}, outside, 0)) == 500);  // 100 + 400
  CHECK(ns(memory.load_outside({0}, outside, 0)) ==
        600);  // queues after the first request; out-of-bounds rows do not merge
  CHECK(ns(memory.load_outside({0}, outside, 1)) == 500);
}

TEST_CASE("Requests for different blocks queue for L2's output but not for its latency") {
  BlockCost from_l2 = kBlock;
  from_l2.dram = {};
  GpuSpec gpu = example_gpu();
  gpu.machine->dram_latency = {};
  Loads loads(gpu);
  CHECK(loads.at(0, 0, 0, from_l2) == 500);
  CHECK(loads.at(0, 1, 0, from_l2) == 600);
}

TEST_CASE("A written block goes to DRAM when it is evicted") {
  GpuSpec gpu = example_gpu();
  gpu.l2->capacity = {51200 / gpu.l2->usable_fraction};  // capacity of two blocks
  Loads loads(gpu);
  loads.memory().store({0}, 3, 25600);
  loads.at(0, 0, 0);
  CHECK(loads.traffic().dram_write == 0);
  loads.at(0, 1, 0);
  CHECK(loads.traffic().dram_write == 25600);
}

TEST_CASE("Incoming data evicts dirty data of an earlier run while there is any") {
  GpuSpec gpu = example_gpu();
  gpu.l2->capacity = {51200 / gpu.l2->usable_fraction};  // capacity of two blocks
  MemorySystem memory(gpu, 4, kExampleClock, nullptr, 0.25);
  memory.load({0}, {0}, {}, 0, {0, 1}, kBlock, {});
  CHECK(memory.traffic().dram_write == 6400);  // a quarter of 25,600
  memory.store({0}, 3, 25600);
  CHECK(memory.traffic().dram_write == 12800);
  // evicts block 0: the earlier run's data is gone
  memory.load({0}, {0}, {}, 1, {1, 1}, kBlock, {});
  // is left
  CHECK(memory.traffic().dram_write == 12800);
}

TEST_CASE("L2 takes in stores one after another, and serves loads after them") {
  MemorySystem memory(example_gpu(), 4, kExampleClock, nullptr);
  CHECK(ns(memory.take_in({0}, {}, 200000)) == 200);  // at 1 TB/s
  CHECK(ns(memory.take_in({0}, {}, 1000)) == 201);
  BlockCost from_l2 = kBlock;
  from_l2.dram = {};
  CHECK(ns(memory.load({0}, {0}, {}, 0, {0, 1}, from_l2, {})) == 701);  // 201 + 100 + 400
}
