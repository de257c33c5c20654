#include "model/gemm/order/operand_panels.h"

#include "model/gemm/problem/group_rows.h"
#include "tests/catch.h"

namespace tilecast {

TEST_CASE("Products of a batch read separate panels, or those of a shared matrix") {
  // Three GEMMs of 2 x 4 tiles: six rows of tiles.
  const OperandPanels own({3}, 2, 4);
  CHECK(own.of_a() == 6);
  CHECK(own.of_b() == 12);
  CHECK(own.a({5, 3}) == 5);
  CHECK(own.b({1, 3}) == 3);   // in the first GEMM
  CHECK(own.b({2, 0}) == 4);   // first panel of the second GEMM
  CHECK(own.b({5, 3}) == 11);  // last panel of the last GEMM

  const OperandPanels one_a({3, true}, 2, 4);
  CHECK(one_a.of_a() == 2);
  CHECK(one_a.a({5, 3}) == 1);
  CHECK(one_a.b({5, 3}) == 11);

  const OperandPanels one_b({3, false, true}, 2, 4);
  CHECK(one_b.of_b() == 4);
  CHECK(one_b.a({5, 3}) == 5);
  CHECK(one_b.b({5, 3}) == 3);
}

TEST_CASE("One GEMM reads the panels of its tiles' rows and columns") {
  const OperandPanels panels(Batch{}, 2, 4);
  CHECK(panels.a({1, 3}) == 1);
  CHECK(panels.b({1, 3}) == 3);
}

TEST_CASE("Each non-empty group reads panels of its own B") {
  // Groups of 256, 0 and 17 rows in tiles of 128, by two columns of 64.
  const GemmProblem problem =
      in_groups({{0, 128, 64}, ElementType::kFp16, Layout::kTn}, {256, 0, 17});
  Tiling tiling{};
  tiling.block_m = 128;
  tiling.block_n = 64;
  tiling.cluster_m = tiling.cluster_n = 1;
  const OperandPanels panels = OperandPanels::of_clusters(problem, tiling);
  CHECK(panels.of_a() == 3);
  CHECK(panels.of_b() == 4);
  CHECK(panels.a({2, 1}) == 2);
  CHECK(panels.b({1, 1}) == 1);
  CHECK(panels.b({2, 1}) == 3);
  CHECK(panels.readers_of_b() == std::vector<u32>{2, 1});
  tiling.cluster_m = 2;  // one cluster of two CTAs per group
  CHECK(OperandPanels::of_ctas(problem, tiling).b({1, 0}) == 0);
  CHECK(OperandPanels::of_ctas(problem, tiling).b({3, 0}) == 2);
}

}  // namespace tilecast
