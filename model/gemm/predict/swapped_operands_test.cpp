#include "model/gemm/problem/swapped_operands.h"

#include <algorithm>
#include <set>

#include "model/gemm/menu/candidates.h"
#include "model/gemm/menu/legality.h"
#include "model/predict/predict.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "tests/h200.h"

namespace tilecast {
namespace {

constexpr const char* kInOrder = "ws 128x160x64 s4 w2x1 c1x1 o1 i1 e2 m8";

KernelConfig swapped(KernelConfig config) {
  config.operands = OperandOrder::kSwapped;
  return config;
}

bool is_swapped(const KernelConfig& config) { return config.operands == OperandOrder::kSwapped; }

}  // namespace

TEST_CASE("A kernel with swapped operands takes as long as in order on the transposed problem") {
  const KernelConfig config = gemm_config(kInOrder);
  for (const GemmProblem& problem :
       {GemmProblem{{320, 4096, 8192}, ElementType::kBf16, Layout::kTn},
        GemmProblem{{320, 4096, 8192}, ElementType::kE4m3, Layout::kTn},
        GemmProblem{.shape = {320, 1024, 512},
        .dtype = ElementType::kBf16,
        .layout = Layout::kNn,
        .batch = {.products = 24, .one_a = true}}}) {
    for (const Method method : {Method::kAnalytic, Method::kSimulated}) {
      const Prediction own = predict_config(calibrated_h200(), problem, swapped(config),
                                            Regime::kBurst, Inputs::kNormal, method);
      const Prediction other = predict_config(calibrated_h200(), transposed(problem), config,
                                              Regime::kBurst, Inputs::kNormal, method);
      CHECK(own.time.value == other.time.value);
      CHECK(own.power.value == other.power.value);
      CHECK(own.dram_read.value == other.dram_read.value);
      CHECK(own.method == method);
    }
  }
}

TEST_CASE("Operands can be swapped for GEMMs with K-major A and a C that TMA can store") {
  const KernelConfig config = swapped(gemm_config(kInOrder));
  const GemmProblem problem{{160, 4096, 4096}, ElementType::kBf16, Layout::kTn};
  const auto refused = [&](const auto& change) {
    GemmProblem changed = problem;
    change(changed);
    return check_legal(calibrated_h200(), changed, config);
  };
  CHECK(refused([](GemmProblem&) {}) == Refusal::kNone);
  CHECK(refused([](GemmProblem& p) { p.shape.m = 161; }) == Refusal::kNone);
  CHECK(refused([](GemmProblem& p) { p.shape.n = 4100; }) == Refusal::kSchedule);
  CHECK(refused([](GemmProblem& p) { p.layout = Layout::kNn; }) == Refusal::kNone);
  CHECK(refused([](GemmProblem& p) { p.layout = Layout::kNt; }) == Refusal::kSchedule);
  CHECK(refused([](GemmProblem& p) { p.layout = Layout::kTt; }) == Refusal::kSchedule);
  CHECK(refused([](GemmProblem& p) { p.batch.products = 2; }) == Refusal::kNone);
  CHECK(refused([](GemmProblem& p) { p.epilogue.add(step<BiasM>()); }) == Refusal::kSchedule);
  KernelConfig deferred = config;
  deferred.store = Store::kDeferred;
  CHECK(check_legal(calibrated_h200(), problem, deferred) == Refusal::kSchedule);
}

TEST_CASE("Transposing exchanges which operand is K-major, and which one a batch shares") {
  const GemmProblem shared{.shape = {1, 2, 3}, .batch = {.products = 4, .one_a = true}};
  CHECK(transposed(shared).batch == Batch{.products = 4, .one_b = true});
  CHECK(transposed(Layout::kTn) == Layout::kTn);
  CHECK(transposed(Layout::kNn) == Layout::kTt);  // B as [K,N] becomes A as [K,M]
  CHECK(transposed(Layout::kTt) == Layout::kNn);
  CHECK(transposed(Layout::kNt) == Layout::kNt);
}

TEST_CASE("Swapping is tried if tiles of 64 or 128 rows would waste over a twentieth of M") {
  const auto tried = [](i64 m) {
    const GemmProblem problem{{m, 4096, 4096}, ElementType::kBf16, Layout::kTn};
    return std::ranges::any_of(
        enumerate_candidates(calibrated_h200(), problem, {Schedule::kWarpSpecialized}).legal,
        is_swapped);
  };
  CHECK(tried(160));   // 256 is 60 % more
  CHECK(tried(320));   // 384 is 20 % more
  CHECK(tried(243));   // 5.3 %
  CHECK(!tried(244));  // 4.9 %
  CHECK(!tried(64));
  CHECK(tried(60));  // 6.7 %
  CHECK(tried(1));
  CHECK(!tried(61));  // 4.9 %
  CHECK(!tried(256));
}

TEST_CASE("Swapping gives heights in steps of 8 where B as [K,N] allows only slabs of 64 columns") {
  // 2880 rows are 45 tiles of 64, so no row is wasted; the widest tile has 256 columns.
  const auto heights = [](Layout layout, i64 n) {
    const GemmProblem problem{{2880, n, 4096}, ElementType::kBf16, layout};
    std::set<i32> of_swapped;
    for (const KernelConfig& config :
         enumerate_candidates(calibrated_h200(), problem, {Schedule::kPingPong}).legal) {
      if (is_swapped(config)) {
        of_swapped.insert(config.tiling.block_n);
      }
    }
    return of_swapped;
  };
  const std::set<i32> some = heights(Layout::kNn, 264);
  CHECK(some.contains(160));
  CHECK(some.contains(112));
  CHECK(!some.contains(128));
  CHECK(heights(Layout::kNn, 256).empty());
  CHECK(heights(Layout::kTn, 264).empty());
  CHECK(heights(Layout::kTt, 264).empty());
}

TEST_CASE("Swapping in layout tn has the heights whose last wave is fuller than any in order") {
  const auto widths = [](const GemmShape& shape) {
    std::set<i32> of_tall;
    for (const KernelConfig& config :
         enumerate_candidates(h200(), {shape, ElementType::kBf16, Layout::kTn},
                              {Schedule::kPersistentOverlap})
             .legal) {
      if (is_swapped(config) && config.tiling.block_m == 128) {
        of_tall.insert(config.tiling.block_n);
      }
    }
    return of_tall;
  };
  // 12 x 22 tiles of 208 rows and 128 columns are two waves of 132.
  CHECK(widths({2480, 2792, 944}).contains(208));
  CHECK(widths({4096, 4096, 4096}).empty());
}

}  // namespace tilecast
