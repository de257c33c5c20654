#include "model/gemm/problem/swapped_operands.h"

#include <algorithm>

#include "model/gemm/menu/candidates.h"
#include "model/gemm/menu/legality.h"
#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"

namespace tilecast {
namespace {

const GpuSpec& h200() {
  static const GpuSpec gpu = load_gpu("h200_sxm", true).spec;
  return gpu;
}

constexpr const char* kInOrder = "ws 128x160x64 s4 w2x1 c1x1 o1 i1 e2 m8";

KernelConfig swapped(KernelConfig config) {
  config.operands = OperandOrder::kSwapped;
  return config;
}

bool is_swapped(const KernelConfig& config) { return config.operands == OperandOrder::kSwapped; }

}  // namespace

TEST_CASE("A kernel with swapped operands takes as long as in order on the transposed problem") {
  const KernelConfig config = gemm_config(kInOrder);
  for (const ElementType dtype : {ElementType::kBf16, ElementType::kE4m3}) {
    const GemmProblem problem{{320, 4096, 8192}, dtype, Layout::kTn};
    for (const Method method : {Method::kAnalytic, Method::kSimulated}) {
      const Prediction own =
          predict_config(h200(), problem, swapped(config), Regime::kBurst, Inputs::kNormal, method);
      const Prediction other = predict_config(h200(), transposed(problem), config, Regime::kBurst,
                                              Inputs::kNormal, method);
      CHECK(own.time.value == other.time.value);
      CHECK(own.power.value == other.power.value);
      CHECK(own.dram_read.value == other.dram_read.value);
      CHECK(own.method == method);
    }
  }
}

TEST_CASE("Operands can be swapped for a single GEMM with K-major A and a C that TMA can store") {
  const KernelConfig config = swapped(gemm_config(kInOrder));
  const GemmProblem problem{{160, 4096, 4096}, ElementType::kBf16, Layout::kTn};
  const auto refused = [&](const auto& change) {
    GemmProblem changed = problem;
    change(changed);
    return check_legal(h200(), changed, config);
  };
  CHECK(refused([](GemmProblem&) {}) == Refusal::kNone);
  CHECK(refused([](GemmProblem& p) { p.shape.m = 161; }) == Refusal::kNone);
  CHECK(refused([](GemmProblem& p) { p.shape.n = 4100; }) == Refusal::kSchedule);
  CHECK(refused([](GemmProblem& p) { p.layout = Layout::kNn; }) == Refusal::kNone);
  CHECK(refused([](GemmProblem& p) { p.layout = Layout::kNt; }) == Refusal::kSchedule);
  CHECK(refused([](GemmProblem& p) { p.layout = Layout::kTt; }) == Refusal::kSchedule);
  CHECK(refused([](GemmProblem& p) { p.batch.products = 2; }) == Refusal::kSchedule);
  CHECK(refused([](GemmProblem& p) { p.epilogue.add(step<BiasM>()); }) == Refusal::kSchedule);
  KernelConfig deferred = config;
  deferred.store = Store::kDeferred;
  CHECK(check_legal(h200(), problem, deferred) == Refusal::kSchedule);
}

TEST_CASE("Transposing exchanges which operand is K-major") {
  CHECK(transposed(Layout::kTn) == Layout::kTn);
  CHECK(transposed(Layout::kNn) == Layout::kTt);  // B as [K,N] becomes A as [K,M]
  CHECK(transposed(Layout::kTt) == Layout::kNn);
  CHECK(transposed(Layout::kNt) == Layout::kNt);
}

TEST_CASE("Swapping is tried if tiles of 64 or 128 rows would waste over a twentieth of M") {
  const auto tried = [](i64 m) {
    const GemmProblem problem{{m, 4096, 4096}, ElementType::kBf16, Layout::kTn};
    return std::ranges::any_of(
        enumerate_candidates(h200(), problem, {Schedule::kWarpSpecialized}).legal, is_swapped);
  };
  CHECK(tried(160));   // 256 is 60 % more
  CHECK(tried(320));   // 384 is 20 % more
  CHECK(tried(243));   // 5.3 %
  CHECK(!tried(244));  // 4.9 %
  CHECK(!tried(64));
  CHECK(tried(60));   // 6.7 %
  CHECK(!tried(61));  // 4.9 %
  CHECK(tried(1));
  CHECK(!tried(4000));
}

}  // namespace tilecast
