// Attention forward described as a loop: the analytic model of an op other than GEMM.
#include "model/form/loop.h"

#include "model/form/block.h"
#include "tests/catch.h"
#include "tests/h200.h"

namespace tilecast {
namespace {

/// 128 queries by blocks of 128 keys. An SM does 4,096 FLOPs and `exp_rate` exponentials per cycle,
/// so with a head dimension of 128 each product takes 2 x 128^3 / 4,096 = 1,024 cycles of the
/// tensor cores, and softmax takes 128^2 / 16 = 1,024 cycles of the vector pipe; each warpgroup
/// does its share.
struct Attention {
  i32 warpgroups;
  double head = 128, exp_rate = 16;
  bool overlap = false;  // P V of one block overlaps the next block's softmax

  BlockTime block(const LoadTimes& loads = {}) const {
    const Cycles product{2 * 128 * 128 * head / 4096}, softmax{128 * 128 / exp_rate};
    const LoopStep steps[] = {
        {.pipe = Pipe::kTensor, .ring = 0, .busy = product, .own = product / warpgroups},
        {.pipe = Pipe::kVector, .ring = -1, .busy = softmax, .own = softmax / warpgroups},
        {.pipe = Pipe::kTensor,
         .ring = 1,
         .waits = !overlap,
         .busy = product,
         .own = product / warpgroups}};
    const Ring rings[] = {{.stages = 2, .lag = 0}, {.stages = 2, .lag = overlap ? 1 : 0}};
    return block_time({.operands = {},
                       .rings = rings,
                       .steps = steps,
                       .producer = true,
                       .warpgroups = warpgroups},
                      loads, 1);
  }
};

TEST_CASE("One warpgroup takes the sum of both products and softmax") {
  const BlockTime block = Attention{.warpgroups = 1}.block();
  CHECK(block.time.value == Approx(1024 + 1024 + 1024));
  CHECK(block.limiter == Limiter::kLatency);
}

TEST_CASE("A second warpgroup multiplies during the first one's softmax") {
  const BlockTime block = Attention{.warpgroups = 2}.block();
  // The tensor cores take 2,048 cycles, the vector pipe 1,024; one warpgroup in sequence 512 + 512
  // + 512.
  CHECK(block.time.value == Approx(2048));
  CHECK(block.limiter == Limiter::kTensor);
}

TEST_CASE("Small heads are bound by softmax") {
  // The products take 2 x 256 cycles, softmax 1,024.
  const BlockTime block = Attention{.warpgroups = 3, .head = 32}.block();
  CHECK(block.time.value == Approx(1024));
  CHECK(block.limiter == Limiter::kInstructions);
}

TEST_CASE("Doubling the rate of exponentials helps kernels bound by softmax") {
  CHECK(Attention{.warpgroups = 1, .exp_rate = 32}.block().time.value == Approx(3072 - 512));
  CHECK(Attention{.warpgroups = 2, .exp_rate = 32}.block().time.value == Approx(2048));
}

TEST_CASE("A warpgroup that leaves P V in flight overlaps it with its own softmax") {
  // In sequence S and softmax take 2,048 cycles, as long as both products on the tensor cores.
  CHECK(Attention{.warpgroups = 1, .overlap = true}.block().time.value ==
        Approx(2048).epsilon(1e-3));
}

TEST_CASE("K and V have separate rings") {
  LoadTimes slow{};
  slow.latency = Cycles{6000};
  // K's stage is held for S, V's for P V: (6,000 + 1,024) / 2 stages in each ring.
  CHECK(Attention{.warpgroups = 2}.block(slow).time.value == Approx(3512).epsilon(0.01));
  CHECK(Attention{.warpgroups = 2}.block(slow).limiter == Limiter::kLatency);
}

TEST_CASE("An operand that is loaded once per tile is amortized over the tile's blocks") {
  const LoopOperand q{.once_a_tile = true,
                      .stage = Bytes{32768},
                      .existing = 1,
                      .rows_existing = 1,
                      .rows_loaded = 1,
                      .multicast = 1,
                      .row = {256, 256, 128},
                      .box_rows = 256,
                      .lines_outside = 1,
                      .sharers = 1,
                      .missing = 0};
  LoopOperand in_every_block = q;
  in_every_block.once_a_tile = false;
  const auto times = [&](const LoopOperand& operand) {
    const Loop loop{.operands = {&operand, 1}, .producer = true, .warpgroups = 2};
    return load_times(h200(), Hertz{1e9}, loop, {.ctas = 1, .sms = 132, .blocks = 16});
  };
  CHECK(times(q).intake.value == Approx(times(in_every_block).intake.value / 16));
  CHECK(times(q).l2.value == Approx(times(in_every_block).l2.value / 16));
  CHECK(times(q).once.value == Approx(32768 / h200().machine->intake.value));
  CHECK(times(in_every_block).once.value == 0);
}

}  // namespace
}  // namespace tilecast
