#include "model/gemm/config/kernel_config.h"

#include "model/gemm/problem/gemm_problem.h"
#include "tests/catch.h"

using namespace tilecast;

namespace {

constexpr GemmProblem kE4m3{{64, 128, 96}, ElementType::kE4m3, Layout::kTn};

}  // namespace

TEST_CASE("An fp8 FLOP takes the tensor cores half as long as a 16-bit one") {
  // Operands have 64 x 96 + 96 x 128 bytes, results 64 x 128 bf16 elements.
  CHECK(gemm_bytes(kE4m3) == 6144 + 12288 + 16384);
  CHECK(gemm_flops(kE4m3) == 2.0 * 64 * 128 * 96);
  CHECK(tensor_flops(kE4m3) == 64.0 * 128 * 96);
  constexpr GemmProblem kFp16{{64, 128, 96}, ElementType::kFp16, Layout::kNn};
  CHECK(tensor_flops(kFp16) == gemm_flops(kFp16));
}

TEST_CASE("An instruction covers 32 bytes of K for every operand type") {
  KernelConfig config{};
  config.tiling.block_k = 128;
  CHECK(k_steps(for_operands(ElementType::kBf16, config).tiling) == 8);
  CHECK(k_steps(for_operands(ElementType::kE5m2, config).tiling) == 4);
  CHECK(for_operands(ElementType::kE5m2, config) == config);
}

TEST_CASE("The type of C is the operands', or with fp8 operands bf16 unless given") {
  CHECK(types_of(kE4m3) == GemmTypes{ElementType::kE4m3, ElementType::kBf16});
  GemmProblem problem = kE4m3;
  problem.c = ElementType::kFp16;
  CHECK(c_type(problem) == ElementType::kFp16);
  problem.dtype = ElementType::kBf16;
  CHECK(c_type(problem) == ElementType::kBf16);
}
