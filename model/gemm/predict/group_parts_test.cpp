#include "model/gemm/predict/group_parts.h"

#include "model/gemm/problem/group_rows.h"
#include "tests/gemm_config.h"
#include "tests/same_prediction.h"

namespace tilecast {
namespace {

constexpr const char* kTn = "ws 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m8";

GroupParts parts_of(GemmProblem problem, Method method = Method::kSimulated) {
  const auto parts = group_parts({calibrated_h200(), problem, Regime::kBurst, Inputs::kNormal},
                                 gemm_config(kTn), method);
  REQUIRE(parts);
  CHECK(parts->alike + parts->own_b + parts->partial + parts->imbalance == Approx(1));
  return *parts;
}

GemmProblem along_m(std::vector<i64> rows, i64 n, i64 k) {
  return in_groups({.shape = {0, n, k}, .dtype = ElementType::kBf16, .layout = Layout::kTn},
                   std::move(rows));
}

GemmProblem along_k(std::vector<i64> rows) {
  return in_groups_of_k(
      {.shape = {2048, 4096, 0}, .dtype = ElementType::kBf16, .layout = Layout::kNt},
      std::move(rows));
}

}  // namespace

TEST_CASE("Equal groups of whole tiles cost only their weight traffic") {
  for (const Method method : {Method::kAnalytic, Method::kSimulated}) {
    const GroupParts large = parts_of(along_m({4096, 4096, 4096, 4096}, 4096, 2048), method);
    CHECK(large.partial == Approx(0).margin(1e-9));
    CHECK(large.imbalance == Approx(0).margin(1e-9));
    CHECK(large.own_b < 0.03);
    // With 256 rows per group, four times as much of B is read from DRAM.
    CHECK(parts_of(along_m({256, 256, 256, 256}, 4096, 7168), method).own_b > 0.001);
  }
}

TEST_CASE("Groups that just exceed a tile cost partial tiles, unequal ones imbalance") {
  // 17 x 28 tiles, 3.6 waves on 132 SMs, become 24 x 28, 5.1 waves: six rounds instead of four.
  const GroupParts missed = parts_of(along_m({257, 257, 257, 257, 257, 257, 257, 257}, 7168, 4096));
  CHECK(missed.partial > 0.2);
  CHECK(missed.imbalance == Approx(0).margin(1e-9));
  const GroupParts skewed = parts_of(along_k({7168, 0, 512, 512}), Method::kSimulated);
  CHECK(skewed.own_b == 0);
  CHECK(skewed.imbalance > 0);
  // 65 rows take two K blocks, 64 one.
  CHECK(parts_of(along_k({65, 65, 65, 65})).partial > 0.04);
}

TEST_CASE("A problem without groups has no group parts") {
  const GemmProblem plain{
      .shape = {1024, 1024, 1024}, .dtype = ElementType::kBf16, .layout = Layout::kTn};
  CHECK_FALSE(group_parts({calibrated_h200(), plain, Regime::kBurst, Inputs::kNormal},
                          gemm_config(kTn), Method::kAnalytic));
}

}  // namespace tilecast
