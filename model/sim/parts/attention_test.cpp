// Attention forward built from the same parts as a GEMM. In one CTA, a producer fills a ring of K
// and one of V, and warpgroups compute S = Q K^T, softmax and P V for each block.

#include "model/gemm/sim/example_gpu.h"
#include "model/sim/parts/load.h"
#include "model/sim/parts/mma.h"
#include "model/sim/parts/stage_ring.h"
#include "tests/catch.h"

using namespace tilecast;

namespace {

constexpr i32 kStages = 2;

/// A block has 128 keys and 128 queries. Each product takes 1,024 cycles of the tensor cores, and
/// softmax takes 1,024 cycles of the SM's arithmetic; the warpgroups divide both equally.
struct Attention {
  i32 warpgroups, blocks;
  SimTime product{1024000}, softmax{1024000};
  SimTime dram{};  // DRAM time of a block of K or V
  GpuSpec gpu = example_gpu();
  Chip chip{gpu, kExampleClock, 2 * static_cast<std::size_t>(blocks), nullptr, 0};
  StageRing k{chip.engine, kStages, 1, warpgroups}, v{chip.engine, kStages, 1, warpgroups};
  MmaCosts mma{};
  LoadCosts load{};
  SimTime end{};

  Process produce() {
    const BlockCost cost{.bytes = 32768, .sectors = 1024, .dram = dram};
    RingPosition at;
    for (u32 block = 0; block < static_cast<u32>(blocks); ++block) {
      for (u32 which = 0; which < 2; ++which) {
        StageRing& ring = which == 0 ? k : v;
        co_await ring.wait_empty(at, {}, {});
        const u32 number = 2 * block + which;
        const SimTime there = ask_for_block(
            chip, chip.sms[0],
            {.name = {0, number}, .block = number, .fetch = {number, 1}, .cost = cost}, 1);
        land(chip, chip.sms[0], ring.full(at.stage), there, {}, cost.bytes, load);
      }
      at.advance(kStages);
    }
  }

  /// Runs one product of this warpgroup, with its operand in a stage of the ring.
  Process multiply(MmaGroups& groups, StageRing& ring, const RingPosition& at) {
    co_await ring.wait_full(at, {}, {});
    groups.issue(chip, chip.sms[0], {product.ps / warpgroups}, 0);
    co_await chip.engine.until(groups.wait(chip.engine.now(), 0, mma));
    ring.empty(at.stage).arrive(chip.engine.now());
  }

  Process consume() {
    MmaGroups groups;
    RingPosition at;
    for (i32 block = 0; block < blocks; ++block) {
      co_await multiply(groups, k, at);
      co_await chip.engine.until(
          chip.sms[0].arithmetic.serve(chip.engine.now(), {softmax.ps / warpgroups}));
      co_await multiply(groups, v, at);
      at.advance(kStages);
    }
    end = std::max(end, chip.engine.now());
  }

  /// Cycles per block in the steady state.
  double cycles_of_block() {
    chip.engine.spawn(produce(), {"producer", 0}, {});
    for (i32 i = 0; i < warpgroups; ++i) {
      chip.engine.spawn(consume(), {"warpgroup", 0, i}, {});
    }
    chip.engine.run();
    return static_cast<double>(end.ps) / 1000 / blocks;
  }
};

}  // namespace

TEST_CASE("One warpgroup runs both products and softmax in sequence") {
  Attention one{.warpgroups = 1, .blocks = 32};
  CHECK(one.cycles_of_block() == Approx(3 * 1024).epsilon(0.01));
  Attention fast{.warpgroups = 1, .blocks = 32, .softmax = {512000}};
  CHECK(fast.cycles_of_block() == Approx(2.5 * 1024).epsilon(0.01));
}

TEST_CASE("Two warpgroups overlap softmax with each other's products") {
  Attention two{.warpgroups = 2, .blocks = 32};
  CHECK(two.cycles_of_block() == Approx(2 * 1024).epsilon(0.03));
  Attention fast{.warpgroups = 2, .blocks = 32, .softmax = {512000}};
  CHECK(fast.cycles_of_block() == Approx(2 * 1024).epsilon(0.03));
}

TEST_CASE("Slow loads of K and V stall both rings") {
  Attention slow{.warpgroups = 2, .blocks = 32, .dram = {2000000}};  // 4,000 cycles per block
  CHECK(slow.cycles_of_block() == Approx(4000).epsilon(0.03));
  CHECK(slow.chip.memory.traffic().dram_read == 2 * 32 * 32768);
}
