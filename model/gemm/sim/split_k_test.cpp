// Simulates whole kernels that split K. Checks the time of the reductions alone, which pieces wait
// for which, and conservation of partial sums.
#include <set>

#include "model/gemm/sim/example_gpu.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"

using namespace tilecast;

namespace {

constexpr double kWithin = 0.005;
constexpr Schedule kSplitting[] = {Schedule::kSplitK, Schedule::kSplitKHybrid, Schedule::kStreamK,
                                   Schedule::kStreamKHybrid};
constexpr Reduction kReductions[] = {Reduction::kTurnstile, Reduction::kAtomic, Reduction::kSpread};

/// Splits a single tile of 16 K blocks in four.
KernelConfig in_four(Schedule schedule, Reduction reduction) {
  KernelConfig config = plain(schedule);
  config.decomposition.reduction = reduction;
  (splits_equally(schedule) ? config.decomposition.splits : config.decomposition.min_k_blocks) = 4;
  return config;
}

double reduction_alone(Schedule schedule, Reduction reduction, double chip = 1e30) {
  GpuSpec gpu = only(Limiter::kReduction);
  gpu.reduction->chip_store = gpu.reduction->chip_add = {chip};
  return simulate_example(gpu, fp16(64, 64, 1024), in_four(schedule, reduction)).cycles.value;
}

}  // namespace

// A partial sum is 16 KiB: 512 cycles at 32 B per cycle. A hop takes 500, and so does one step of
// reading.

TEST_CASE(
    "Serial reduction alone: a store, then a hop and an addition each, a hop and a reading turn") {
  for (const Schedule schedule : kSplitting) {
    CHECK(reduction_alone(schedule, Reduction::kTurnstile) ==
          Approx(512 + 2 * (500 + 512) + 500 + 500).epsilon(kWithin));
  }
}

TEST_CASE(
    "Atomic reduction alone: all add at once, a hop, a reading turn; idle warps clear the sum") {
  for (const Schedule schedule : kSplitting) {
    CHECK(reduction_alone(schedule, Reduction::kAtomic) ==
          Approx(512 + 500 + 500 + 512).epsilon(kWithin));
  }
}

TEST_CASE("Atomic reductions contend for L2's rate of additions") {
  // Three partial sums of 16 KiB at 16 B per nanosecond; clearing takes another 1024 ns.
  CHECK(reduction_alone(Schedule::kSplitK, Reduction::kAtomic, 16e9) ==
        Approx(3 * 1024 + 500 + 500 + 1024).epsilon(kWithin));
}

TEST_CASE("Distributed reduction alone: a store, a hop, a share of every sum, a hop") {
  // Each thread reads its share, 2 of 8 groups of four, in one step. Storing a quarter of C (2 KiB)
  // takes 64 cycles.
  for (const Schedule schedule : {Schedule::kSplitK, Schedule::kSplitKHybrid}) {
    CHECK(reduction_alone(schedule, Reduction::kSpread) ==
          Approx(512 + 500 + 500 + 64 + 500).epsilon(kWithin));
  }
}

TEST_CASE("Distributed reductions contend for L2's input") {
  // Four partial sums of 16 KiB at 16 B per nanosecond, plus C.
  CHECK(reduction_alone(Schedule::kSplitK, Reduction::kSpread, 16e9) ==
        Approx(4 * 1024 + 500 + 500 + 512 + 500).epsilon(kWithin));
}

TEST_CASE("Every partial sum that is written is read as often as its reduction requires") {
  for (const Schedule schedule : kSplitting) {
    for (const Reduction reduction : kReductions) {
      if (reduction == Reduction::kSpread && !splits_equally(schedule)) {
        continue;
      }
      const Simulated kernel =
          simulate_example(example_gpu(), fp16(64, 64, 1024), in_four(schedule, reduction));
      const bool spread = reduction == Reduction::kSpread;
      const bool atomic = reduction == Reduction::kAtomic;
      // Three pieces pass on their sum and one adds them. Atomic reduction also writes to clear; in
      // distributed reduction all pieces write, and each reads as much.
      CHECK(kernel.sums_written.value == 16384 * (spread || atomic ? 4 : 3));
      CHECK(kernel.sums_read.value == 16384 * (spread ? 4 : 1));
      CHECK(kernel.tiles == 1);
      CHECK(kernel.k_blocks == 16);
      CHECK(kernel.l2_to_sm.value == 16 * 16384 + kernel.sums_read.value);
    }
  }
}

TEST_CASE("A timeline of pieces shows who waited for whose sum") {
  std::vector<TileSpan> tiles;
  simulate_example(example_gpu(), fp16(64, 64, 1024),
                   in_four(Schedule::kSplitK, Reduction::kTurnstile), {.tiles = &tiles});
  std::set<i32> begins;
  SimTime handed{};  // time at which the previous piece passes its sum on
  for (i32 k_begin = 0; k_begin < 16; k_begin += 4) {
    for (const TileSpan& piece : tiles) {
      if (piece.k_begin != k_begin || piece.role == TileRole::kLoads) {
        continue;
      }
      begins.insert(piece.k_begin);
      CHECK(piece.k_end == k_begin + 4);
      REQUIRE(piece.reduction.has_value());
      CHECK(piece.multiplied <= piece.reduction->waited);
      CHECK(piece.reduction->waited < piece.reduction->reduced);
      if (k_begin > 0) {
        CHECK(piece.reduction->waited == handed + SimTime{250000});
      }
      handed = piece.reduction->reduced;
      CHECK((piece.stored > piece.reduction->reduced) == (piece.k_end == 16));
    }
  }
  CHECK(begins.size() == 4);
}

TEST_CASE("In stream-K no worker waits for a later one") {
  // 9 tiles of 16 K blocks on four SMs: 36 each, bound by tensor pipes; partial sums are free.
  KernelConfig config = plain(Schedule::kStreamK);
  config.decomposition.min_k_blocks = 1;
  const double alone =
      simulate_example(only(Limiter::kTensor), fp16(192, 192, 1024), config).cycles.value;
  CHECK(alone == Approx(36 * 4 * 32).epsilon(kWithin));
}
