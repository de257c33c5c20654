#include "model/spec/fused_epilogue.h"

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
  CHECK(bias_reads(problem, t).value == 0);
  // 3 x 2 tiles of 8 warps, 256 columns of two bytes each; of rows 128 for all of them
  problem.epilogue.bias = Bias::kPerColumn;
  CHECK(bias_reads(problem, t).value == 6 * 8 * 256 * 2);
  problem.epilogue.bias = Bias::kPerRow;
  CHECK(bias_reads(problem, t).value == 6 * 128 * 2);
}
