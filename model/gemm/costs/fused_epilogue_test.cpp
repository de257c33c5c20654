#include "model/gemm/costs/fused_epilogue.h"

#include <utility>

#include "tests/catch.h"

using namespace tilecast;

namespace {

constexpr double kTile = 128 * 256;

double cycles(Bias bias, Activation activation) {
  return fused_time({bias, activation}, kTile).value;
}

}  // namespace

TEST_CASE("An epilogue takes the longer of its issue slots and its special functions") {
  CHECK(cycles(Bias::kNone, Activation::kNone) == 0);
  CHECK(cycles(Bias::kNone, Activation::kRelu) == 0);  // part of the conversion
  // 32768 elements: at 80 a cycle an instruction of each takes 409.6, at 16 a tanh of each 2048
  CHECK(cycles(Bias::kPerRow, Activation::kNone) == Approx(409.6));
  CHECK(cycles(Bias::kPerColumn, Activation::kNone) == Approx(1.75 * 409.6));
  CHECK(cycles(Bias::kNone, Activation::kSilu) == 2048);  // 3 * 409.6 = 1229 issued
  CHECK(cycles(Bias::kPerColumn, Activation::kSilu) == 2048);
  CHECK(cycles(Bias::kPerColumn, Activation::kGeluTanh) == Approx(7.75 * 409.6));  // 3174
  CHECK(cycles(Bias::kPerColumn, Activation::kGelu) == Approx(9.75 * 409.6));      // 3994
  CHECK(fused_time({Bias::kNone, Activation::kNone, Scales::kTensor}, kTile).value ==
        Approx(409.6));
  CHECK(fused_time({Bias::kNone, Activation::kNone, Scales::kBlock}, kTile).value == 0);
  // A gate's tanh is of every other column: 8 elements of 16 a cycle
  CHECK(cycles(Bias::kNone, Activation::kSwiglu) == 1024);
  CHECK(cycles(Bias::kNone, Activation::kGeglu) == Approx(4.5 * 409.6));
  CHECK(fused_time({.bias = Bias::kNone, .activation = Activation::kNone, .residual = true}, kTile)
            .value == Approx(4 * 409.6));
  CHECK(fused_time({.bias = Bias::kNone, .activation = Activation::kNone, .residual = true}, kTile,
                   true)
            .value == Approx(2.25 * 409.6));
}

TEST_CASE("Each warp reads its columns of the bias, and the rows that it has") {
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
  // 3 x 2 tiles of 8 warps, 256 columns of two bytes each; of rows 128 for all of them
  problem.epilogue.bias = Bias::kPerColumn;
  CHECK(epilogue_reads(problem, t).value == 6 * 8 * 256 * 2);
  problem.epilogue.bias = Bias::kPerRow;
  CHECK(epilogue_reads(problem, t).value == 6 * 128 * 2);
  // Rows' scales of four bytes beside them: each warp its warpgroup's columns, once each row.
  problem.epilogue = {Bias::kNone, Activation::kNone, Scales::kRow};
  CHECK(epilogue_reads(problem, t).value == 6 * 2 * (64 + 4 * 256) * 4);
  // Of blocks in each of 32 K blocks: the rows' and four more, once for both warpgroups, and one of
  // B for each of eight warps.
  problem = {{300, 512, 2048}, ElementType::kE4m3x2, Layout::kTn};
  problem.epilogue = {.bias = Bias::kNone, .activation = Activation::kNone, .residual = true};
  CHECK(epilogue_reads(problem, t).value == 300 * 512 * 2);  // each element by one thread
  CHECK(epilogue_bytes(problem) == 300 * 512 * 2);
  problem.c = ElementType::kFp32;
  CHECK(epilogue_reads(problem, t).value == 300 * 512 * 4);
  problem.c = ElementType::kBf16;
  problem.epilogue = in_main_loop({Bias::kPerRow, Activation::kNone, Scales::kBlock});
  CHECK(epilogue_reads(problem, t).value == 6 * 32 * (128 + 4 + 8) * 4);
}

TEST_CASE("Sums of a K block are promoted at 128 a cycle") {
  CHECK(promotion_time(64 * 128).value == 64);
}

TEST_CASE("Warpgroups that share a tile slow each other's wgmmas by their promotion") {
  const auto beside = [](i32 warpgroups_m, i32 block_m, Scales scales,
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
    return promotion_beside({.shape = {},
                             .dtype = ElementType::kE4m3x2,
                             .layout = Layout::kTn,
                             .epilogue = {Bias::kNone, Activation::kNone, scales},
                             .accumulate = accumulate},
                            t)
        .value;
  };
  CHECK(beside(2, 256, Scales::kBlock) == 40);  // two rows of 64 x 128 sums each, of 64 cycles
  CHECK(beside(2, 256, Scales::kRow) == 0);
  CHECK(beside(2, 256, Scales::kNone, Accumulate::kExact) == 40);
  CHECK(beside(2, 256, Scales::kRow, Accumulate::kExact) == 40);
  CHECK(beside(1, 128, Scales::kBlock) == 0);
}

TEST_CASE("Scales are a number for each tensor, row and column, or block of 128") {
  GemmProblem problem{{300, 200, 1000}, ElementType::kE4m3, Layout::kTn};
  const auto elements = [&](Scales scales) {
    problem.epilogue.scales = scales;
    const ScaleElements found = scale_elements(problem);
    CHECK(epilogue_bytes(problem) == 4.0 * static_cast<double>(found.a + found.b));
    return std::pair(found.a, found.b);
  };
  using Pair = std::pair<i64, i64>;
  CHECK(elements(Scales::kNone) == Pair{0, 0});
  CHECK(elements(Scales::kTensor) == Pair{1, 1});
  CHECK(elements(Scales::kRow) == Pair{300, 200});
  CHECK(elements(Scales::kBlock) == Pair{300 * 8, 2 * 8});
  problem.dtype = ElementType::kE4m3x2;  // 2000 elements of K
  CHECK(elements(Scales::kBlock) == Pair{300 * 16, 2 * 16});
}
