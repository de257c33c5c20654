#include "model/gemm/problem/fp8_pairs.h"

#include "tests/catch.h"

namespace tilecast {
namespace {

constexpr GemmProblem kE4m3{{64, 128, 96}, ElementType::kE4m3, Layout::kTn};

TEST_CASE("A pair of fp8 elements is one of 16 bits: half the K, the same bytes and FLOPs") {
  const GemmProblem pairs = in_pairs(kE4m3);
  CHECK(pairs.shape == GemmShape{64, 128, 48});
  CHECK(pairs.dtype == ElementType::kE4m3x2);
  // 64 x 96 + 96 x 128 bytes of operands, 64 x 128 of bf16.
  CHECK(gemm_bytes(kE4m3) == 6144 + 12288 + 16384);
  CHECK(gemm_bytes(pairs) == gemm_bytes(kE4m3));
  CHECK(gemm_flops(pairs) == gemm_flops(kE4m3));
  CHECK(gemm_flops(kE4m3) == 2.0 * 64 * 128 * 96);
  CHECK(in_pairs(pairs) == pairs);
}

TEST_CASE("16-bit problems are in the machine's elements already") {
  constexpr GemmProblem kFp16{{64, 128, 96}, ElementType::kFp16, Layout::kNn};
  CHECK(in_pairs(kFp16) == kFp16);
  CHECK(k_elements(ElementType::kFp16) == 1);
  CHECK(k_elements(ElementType::kE5m2) == 2);
  KernelConfig config{};
  config.tiling.block_k = 64;
  CHECK(in_pairs(ElementType::kBf16, config) == config);
  CHECK(in_elements(ElementType::kBf16, config) == config);
}

TEST_CASE("A tile's K is written in elements and kept in pairs") {
  KernelConfig config{};
  config.tiling.block_k = 128;
  const KernelConfig pairs = in_pairs(ElementType::kE5m2, config);
  CHECK(pairs.tiling.block_k == 64);
  CHECK(in_elements(ElementType::kE5m2, pairs) == config);
}

TEST_CASE("C of fp8 operands is bf16 or what is asked for; of others it has their type") {
  CHECK(types_of(kE4m3) == GemmTypes{ElementType::kE4m3, ElementType::kBf16});
  GemmProblem problem = kE4m3;
  problem.c = ElementType::kFp16;
  CHECK(c_type(problem) == ElementType::kFp16);
  CHECK(c_type(in_pairs(problem)) == ElementType::kFp16);
  problem.dtype = ElementType::kBf16;
  CHECK(c_type(problem) == ElementType::kBf16);
}

}  // namespace
}  // namespace tilecast
