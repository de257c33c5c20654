#include "model/sim/parts/partial_sums.h"

#include "model/gemm/sim/example_gpu.h"
#include "model/gemm/sim/kernel/sum_plan.h"
#include "tests/catch.h"

using namespace tilecast;

namespace {

KernelConfig example(Reduction reduction) {
  KernelConfig config = plain(Schedule::kSplitK);
  config.decomposition = {.splits = 3, .min_k_blocks = 0, .reduction = reduction};
  return config;
}

/// Sums of 64 x 64 fp32 are 16 KiB. A chunk of 2 KiB takes 64 ns at 32 B per cycle and 1 GHz.
struct Example {
  explicit Example(Reduction reduction, double chip = 1e12)
      : work(WorkDecomposition::split_k(2, 7, 4, 3)),
        gpu(with_chip(chip)),
        memory(gpu, 1, kExampleClock, nullptr),
        sums(engine, gpu, *gpu.reduction, sum_plan(example(reduction), work), kExampleClock) {}

  static GpuSpec with_chip(double rate) {
    GpuSpec gpu = example_gpu();
    gpu.reduction->chip_store = gpu.reduction->chip_add = {rate};
    gpu.machine->l2_output = {rate};
    return gpu;
  }
  i64 write(i64 now, i32 sm, SumWrite how) { return sums.write({now * 1000}, sm, how).ps / 1000; }
  i64 read(i64 now, Server& intake) {
    return sums.read_turn({now * 1000}, 0, {}, intake, memory).ps / 1000;
  }

  Engine engine;
  WorkDecomposition work;
  GpuSpec gpu;
  MemorySystem memory;
  PartialSums sums;
};

Process wait_for(PhaseBarrier& lock, u32 phase, Engine& engine, SimTime& woken) {
  co_await lock.wait(phase, {}, {});
  woken = engine.now();
}

}  // namespace

TEST_CASE(
    "Chunks of one SM are written one after another, those of another SM do not wait for them") {
  Example example(Reduction::kTurnstile);
  CHECK(example.write(0, 0, SumWrite::kStore) == 64);
  CHECK(example.write(0, 0, SumWrite::kAdd) == 128);
  CHECK(example.write(0, 1, SumWrite::kStore) == 64);
  CHECK(example.write(127, 0, SumWrite::kStore) == 192);  // the path is free from 128 on
  CHECK(example.write(193, 0, SumWrite::kStore) == 257);
  CHECK(example.sums.written() == 5 * 2048);
}

TEST_CASE("Simultaneous writes of all SMs share the chip's rate") {
  Example example(Reduction::kTurnstile, 16e9);  // 128 ns for a chunk
  CHECK(example.write(0, 0, SumWrite::kStore) == 128);
  CHECK(example.write(0, 1, SumWrite::kAdd) == 256);
}

TEST_CASE("A reading turn takes a hop plus SM fill and L2 output") {
  // One step for all 16 KiB takes 256 ns of SM fill at 64 B per cycle, less at L2.
  Example example(Reduction::kTurnstile);
  Server one, other;
  CHECK(example.sums.turns() == 1);
  CHECK(example.read(0, one) == 256 + 500);
  CHECK(example.read(0, one) == 512 + 500);
  CHECK(example.read(0, other) == 256 + 500);
  CHECK(example.sums.read() == 3 * 16384);
  CHECK(example.memory.traffic().l2_to_sm == 3 * 16384);
  Example slow(Reduction::kTurnstile, 16e9);
  Server intake;
  CHECK(slow.read(0, intake) == 1024 + 500);
}

TEST_CASE("Reading turns follow from spare registers, or from the share of all sums") {
  const auto turns = [](i32 block_n, Reduction reduction, i32 splits) {
    KernelConfig config = example(reduction);
    config.tiling.block_n = block_n;
    config.producer_registers = 40;
    const WorkDecomposition work = WorkDecomposition::split_k(1, 64, 64, static_cast<u32>(splits));
    return sum_plan(config, work).turns;
  };
  // One warpgroup has 240 registers per thread. 64 x 256: 128 registers hold sums and ten of the 40
  // spare ones hold loads, so 32 groups of four are read ten at a time. 64 x 64: eight groups are
  // read at once.
  CHECK(turns(256, Reduction::kTurnstile, 4) == 4);
  CHECK(turns(64, Reduction::kAtomic, 4) == 1);
  // Shares of 4 splits: 32 groups / 4, four at a time from four partial sums: two steps. Shares of
  // 32 splits: one group, from four partial sums at a time: eight steps.
  CHECK(turns(256, Reduction::kSpread, 4) == 2);
  CHECK(turns(256, Reduction::kSpread, 32) == 8);
}

TEST_CASE("A piece is ordered after those of its tile with lower K") {
  // Seven K blocks in three pieces that start at 0, 2 and 4.
  const Example example(Reduction::kTurnstile);
  CHECK(example.sums.before(1, 0) == 0);
  CHECK(example.sums.before(1, 2) == 1);
  CHECK(example.sums.before(1, 4) == 2);
}

TEST_CASE(
    "A phase is one piece if serial, all but the owner if atomic, all pieces if distributed") {
  const auto woken_after = [](Reduction reduction, i32 arrivals) {
    Example example(reduction);
    SimTime woken{-1};
    PhaseBarrier& lock = example.sums.lock(0, 0, 0);
    example.engine.spawn(wait_for(lock, 0, example.engine, woken), {"waiting"}, {});
    for (i32 i = 0; i < arrivals; ++i) {
      lock.arrive({1000 * (i + 1)});
    }
    try {
      example.engine.run();
    } catch (const SimulationError&) {
      return i64{-1};
    }
    return woken.ps;
  };
  CHECK(woken_after(Reduction::kTurnstile, 0) == -1);
  CHECK(woken_after(Reduction::kTurnstile, 1) == 1000);
  CHECK(woken_after(Reduction::kAtomic, 1) == -1);
  CHECK(woken_after(Reduction::kAtomic, 2) == 2000);
  CHECK(woken_after(Reduction::kSpread, 2) == -1);
  CHECK(woken_after(Reduction::kSpread, 3) == 3000);
}
