#include "model/gemm/costs/fused_epilogue.h"

#include <utility>

#include "tests/catch.h"

using namespace tilecast;

namespace {

constexpr double kTile = 128 * 256;
constexpr MachineSpec kHopper{
    .fused_issue = 80, .fused_special = 16, .fp32_additions = 128, .promotion_shown = 0.3125};

double cycles(const Epilogue& epilogue, bool in_ring = false) {
  return fused_time(kHopper, epilogue, kTile, in_ring).value;
}

}  // namespace

TEST_CASE("An epilogue takes the longer of its issue slots and its special functions") {
  CHECK(cycles({}) == 0);
  CHECK(cycles({step<Relu>()}) == 0);  // relu is part of the conversion
  // 32768 elements: at 80 per cycle one instruction per element takes 409.6, at 16 per cycle a tanh
  // takes 2048.
  CHECK(cycles({step<BiasM>()}) == Approx(409.6));
  CHECK(cycles({step<BiasN>()}) == Approx(1.75 * 409.6));
  CHECK(cycles({step<Silu>()}) == 2048);  // 3 * 409.6 = 1229 issued
  CHECK(cycles({step<BiasN>(), step<Silu>()}) == 2048);
  CHECK(cycles({step<BiasN>(), step<GeluTanh>()}) == Approx(7.75 * 409.6));  // 3174
  CHECK(cycles({step<BiasN>(), step<Gelu>()}) == Approx(9.75 * 409.6));      // 3994
  CHECK(cycles({step<ScaleTensor>()}) == Approx(409.6));
  CHECK(cycles({step<ScaleBlock>()}) == 0);
  // A gate's tanh applies to every other column: half as many elements, 16 per cycle.
  CHECK(cycles({step<Swiglu>()}) == 1024);
  CHECK(cycles({step<Geglu>()}) == Approx(4.5 * 409.6));
  CHECK(cycles({step<Residual>()}) == Approx(4 * 409.6));
  CHECK(cycles({step<Residual>()}, true) == Approx(2.25 * 409.6));
}

TEST_CASE("Each warp reads its columns of a column bias, and its own rows of a row bias") {
  const Tiling t{.block_m = 128,
                 .block_n = 256,
                 .block_k = 64,
                 .stages = 4,
                 .warpgroups_m = 2,
                 .warpgroups_n = 1,
                 .cluster_m = 1,
                 .cluster_n = 1,
                 .c_slots = 2};
  GemmProblem problem{{300, 512, 64}, ElementType::kFp16, Layout::kTn};
  CHECK(epilogue_reads(problem, t).value == 0);
  // There are 3 x 2 tiles of 8 warps, each warp with 256 columns of two bytes; a row bias has 128
  // rows per tile.
  problem.epilogue.add(step<BiasN>());
  CHECK(epilogue_reads(problem, t).value == 6 * 8 * 256 * 2);
  problem.epilogue.add(step<BiasM>());
  CHECK(epilogue_reads(problem, t).value == 6 * 128 * 2);
  // In addition, row scales of four bytes: each warp reads its warpgroup's columns, and each row
  // once.
  problem.epilogue = {step<ScaleRow>()};
  CHECK(epilogue_reads(problem, t).value == 6 * 2 * (64 + 4 * 256) * 4);
  // Block scales are read in each of 32 K blocks: those of the tile's rows and four more, once for
  // both warpgroups; each of eight warps reads one of B.
  problem = {{300, 512, 2048}, ElementType::kE4m3, Layout::kTn};
  problem.epilogue = {step<Residual>()};
  CHECK(epilogue_reads(problem, t).value == 300 * 512 * 2);  // each element by one thread
  CHECK(epilogue_bytes(problem) == 300 * 512 * 2);
  problem.c = ElementType::kFp32;
  CHECK(epilogue_reads(problem, t).value == 300 * 512 * 4);
  problem.c = ElementType::kBf16;
  problem.epilogue = in_main_loop({step<BiasM>(), step<ScaleBlock>()});
  CHECK(epilogue_reads(problem, t).value == 6 * 32 * (128 + 4 + 8) * 4);
}

TEST_CASE("Accumulators are promoted at 128 per cycle") {
  CHECK(promotion_time(kHopper, 64 * 128).value == 64);
}

TEST_CASE("Warpgroups that share a tile slow each other's wgmmas by their promotion") {
  const auto beside = [](i32 warpgroups_m, i32 block_m, OutputStep scales,
                         Accumulate accumulate = Accumulate::kFast) {
    const Tiling t{.block_m = block_m,
                   .block_n = 128,
                   .block_k = 64,
                   .stages = 4,
                   .warpgroups_m = warpgroups_m,
                   .warpgroups_n = 1,
                   .cluster_m = 1,
                   .cluster_n = 1,
                   .c_slots = 2};
    return promotion_beside(kHopper,
                            {.shape = {},
                             .dtype = ElementType::kE4m3,
                             .layout = Layout::kTn,
                             .epilogue = {scales},
                             .accumulate = accumulate},
                            t)
        .value;
  };
  CHECK(beside(2, 256, step<ScaleBlock>()) == 40);  // two rows of 64 x 128 sums
  CHECK(beside(2, 256, step<ScaleRow>()) == 0);
  CHECK(beside(2, 256, OutputStep{}, Accumulate::kExact) == 40);
  CHECK(beside(2, 256, step<ScaleRow>(), Accumulate::kExact) == 40);
  CHECK(beside(1, 128, step<ScaleBlock>()) == 0);
}

TEST_CASE("Scales are one number per tensor, per row and column, or per block of 128") {
  GemmProblem problem{{300, 200, 1000}, ElementType::kE4m3, Layout::kTn};
  const auto elements = [&](OutputStep scales) {
    problem.epilogue.add(scales);
    const ScaleElements found = scale_elements(problem);
    CHECK(epilogue_bytes(problem) == 4.0 * static_cast<double>(found.a + found.b));
    return std::pair(found.a, found.b);
  };
  using Pair = std::pair<i64, i64>;
  CHECK(elements(OutputStep{}) == Pair{0, 0});
  CHECK(elements(step<ScaleTensor>()) == Pair{1, 1});
  CHECK(elements(step<ScaleRow>()) == Pair{300, 200});
  CHECK(elements(step<ScaleBlock>()) == Pair{300 * 8, 2 * 8});
  problem.shape.k = 2000;
  CHECK(elements(step<ScaleBlock>()) == Pair{300 * 16, 2 * 16});
}
