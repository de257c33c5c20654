#include "model/gemm/rules/kernel_rules.h"

#include <string>

#include "tests/catch.h"
#include "tests/gemm_config.h"

using namespace tilecast;

namespace {

KernelConfig ping_pong(const std::string& tile) {
  return gemm_config("ping_pong:tile=" + tile +
                     ",stages=3,cluster=1x1,ctas=1,inflight=1,c_slots=2,producer=40,"
                     "raster=grouped_m,group=8,walk=strided");
}

bool takes_result(const KernelConfig& config, ElementType c, const Epilogue& epilogue) {
  const ProblemKind kind{{ElementType::kBf16, c}, Layout::kTn, epilogue};
  return why_no_kernel(kind, config).empty();
}

constexpr ElementType kBf16 = ElementType::kBf16, kFp32 = ElementType::kFp32,
                      kE4m3 = ElementType::kE4m3;
constexpr Epilogue kSwiglu{step<Swiglu>()};
constexpr Epilogue kResidual{step<Residual>()};

}  // namespace

TEST_CASE("A column of A B gives one element of C, with a gate half of one") {
  CHECK(c_column_bytes(kFp32, {}) == 4);
  CHECK(c_column_bytes(kFp32, kSwiglu) == 2);
  CHECK(c_column_bytes(kBf16, {}) == 2);
  CHECK(c_column_bytes(kBf16, kSwiglu) == 1);
  CHECK(c_column_bytes(kE4m3, {}) == 1);
}

TEST_CASE("Odd multiples of eight columns require 16-bit elements") {
  for (const auto& [tile, odd] : {std::pair{"64x72x64", true}, {"64x80x64", false}}) {
    CHECK(takes_result(ping_pong(tile), kBf16, {}));
    CHECK(takes_result(ping_pong(tile), kBf16, kResidual));
    CHECK(takes_result(ping_pong(tile), kFp32, {}) == !odd);
    CHECK(takes_result(ping_pong(tile), kBf16, kSwiglu) == !odd);
    CHECK(takes_result(ping_pong(tile), kFp32, kSwiglu) == !odd);
  }
}

TEST_CASE(
    "amax and a residual loaded by threads need 88 registers besides the accumulators, of 240 at "
    "most") {
  const Epilogue amax{step<Amax>()};
  CHECK(takes_result(ping_pong("64x256x64"), kBf16, amax));         // 128 accumulators
  CHECK(takes_result(ping_pong("128x144x64"), kBf16, amax));        // 144
  CHECK_FALSE(takes_result(ping_pong("128x160x64"), kBf16, amax));  // 160
  CHECK(takes_result(ping_pong("128x160x64"), kBf16, {}));
  CHECK(takes_result(ping_pong("128x160x64"), kBf16, kResidual));  // residual through the ring
  CHECK(takes_result(ping_pong("128x136x64"), kBf16,
                     kResidual));  // residual loaded by threads: odd multiple of 8 columns
  CHECK_FALSE(takes_result(ping_pong("128x152x64"), kBf16, kResidual));
}

TEST_CASE("A deferred store needs 16 bits per column, and split tiles have no amax") {
  const KernelConfig deferred = gemm_config("ws 128x256x64 s3 w2x1 c1x1 o1 i1 e2d m8");
  CHECK(takes_result(deferred, kBf16, kSwiglu));
  CHECK(takes_result(deferred, kE4m3, {}));
  CHECK(takes_result(deferred, kFp32, kSwiglu));
  CHECK_FALSE(takes_result(deferred, kFp32, {}));
  const KernelConfig split = gemm_config("sp 64x64x32 s4 w1x1 c1x1 o1 i1 e1 m8 k2t");
  CHECK(takes_result(split, kFp32, kResidual));
  const Epilogue amax{step<Amax>()};
  CHECK_FALSE(takes_result(split, kBf16, amax));
}

TEST_CASE("Every rule's message refers to existing values") {
  const KernelConfig config = ping_pong("64x256x64");
  const KernelCase asked = kernel_case({kBf16, Layout::kTn}, config);
  for (const auto& rules : {rules_of_kinds(), rules_of_kernels(TensorCore::kWgmma),
                            rules_of_kernels(TensorCore::kTcgen05)}) {
    for (const Rule<KernelCase>& rule : rules) {
      CHECK(!contains(sentence_of(&rule, asked), '{'));
    }
  }
}
