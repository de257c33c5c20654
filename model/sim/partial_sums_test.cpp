#include "model/sim/partial_sums.h"

#include "model/sim/example_gpu.h"
#include "tests/catch.h"

using namespace tilecast;

namespace {

KernelConfig example(Reduction reduction) {
  KernelConfig config = plain(Schedule::kSplitK);
  config.decomposition = {.splits = 3, .min_k_blocks = 0, .reduction = reduction};
  return config;
}

/// Sums of 64 x 64 fp32, 16 KiB: chunks of 2 KiB, 64 ns at an SM's 32 B per cycle of 1 GHz.
struct Example {
  explicit Example(Reduction reduction, double chip = 1e12)
      : work(WorkDecomposition::split_k(2, 7, 4, 3)),
        gpu(with_chip(chip)),
        memory(gpu, 1, nullptr),
        sums(engine, gpu, example(reduction), work, kExampleClock) {}

  static GpuSpec with_chip(double rate) {
    GpuSpec gpu = example_gpu();
    gpu.reduction->chip_store = gpu.reduction->chip_add = {rate};
    gpu.l2->output = {rate};
    return gpu;
  }
  i64 ns(i64 now, i32 sm, SumMove move) {
    return sums.move({now * 1000}, sm, move, memory).ps / 1000;
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

TEST_CASE("Chunks of one SM follow each other, those of another do not wait for them") {
  Example example(Reduction::kTurnstile);
  CHECK(example.ns(0, 0, SumMove::kStore) == 64);
  CHECK(example.ns(0, 0, SumMove::kAdd) == 128);
  CHECK(example.ns(0, 1, SumMove::kStore) == 64);
  CHECK(example.ns(128, 0, SumMove::kStore) == 192);  // the path is free from 128 on
  CHECK(example.ns(0, 0, SumMove::kLoad) == 64);      // the other way
  CHECK(example.sums.written() == 4 * 2048);
  CHECK(example.sums.read() == 2048);
  CHECK(example.memory.traffic().l2_to_sm == 2048);
}

TEST_CASE("What all SMs move at the same time shares the chip's rate") {
  Example example(Reduction::kTurnstile, 16e9);  // 128 ns for a chunk
  CHECK(example.ns(0, 0, SumMove::kStore) == 128);
  CHECK(example.ns(0, 1, SumMove::kAdd) == 256);
  CHECK(example.ns(0, 2, SumMove::kLoad) == 128);  // by L2's output
  CHECK(example.ns(0, 3, SumMove::kLoad) == 256);
}

TEST_CASE("A piece comes after those of its tile with lower K") {
  // Seven K blocks in three parts: from 0, 2 and 4.
  const Example example(Reduction::kTurnstile);
  CHECK(example.sums.before({1, 0, 2, 1}) == 0);
  CHECK(example.sums.before({1, 2, 4, 3}) == 1);
  CHECK(example.sums.before({1, 4, 7, 5}) == 2);
}

TEST_CASE(
    "A turnstile's phase is each piece, an atomic sum's all but the owner, a spread one's all") {
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
