#include "model/predict/price_of_copies.h"

#include <random>

#include "model/gemm/menu/legality.h"
#include "model/gemm/problem/operand_copies.h"
#include "model/gemm/problem/problem_text.h"
#include "model/ops/any_op.h"
#include "model/predict/explain.h"
#include "model/predict/predict.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "tests/h200.h"
#include "tests/seed.h"

namespace tilecast {
namespace {

constexpr const char* kConfig = "ws 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m8";

Prediction predicted(const std::string& text, Method method = Method::kAnalytic) {
  return predict_config(calibrated_h200(), parse_gemm_problem(text), gemm_config(kConfig),
                        Regime::kBurst, Inputs::kNormal, method);
}

Prediction first(const GemmProblem& problem) {
  return rank_candidates(calibrated_h200(), problem, {}, Regime::kBurst, Inputs::kNormal, 1,
                         {.method = Method::kAnalytic})
      .predictions.front();
}

}  // namespace

TEST_CASE(
    "A problem with odd K copies both operands and then runs the kernel of the aligned problem") {
  for (const Method method : {Method::kAnalytic, Method::kSimulated}) {
    const Prediction odd = predicted("4096x4096x4095", method);
    const Prediction even = predicted("4096x4096x4095 lda=4096 ldb=4096", method);
    CHECK(even.copies == Seconds{0});
    CHECK(odd.time.value == Approx(even.time.value + odd.copies.value));
    CHECK(odd.interval_low.value == Approx(even.interval_low.value + odd.copies.value));
    CHECK(odd.cycles.value == Approx(cycles_of(odd.time, odd.sm_clock).value).epsilon(1e-6));
    CHECK(odd.tflops / even.tflops == Approx(even.time / odd.time));
    CHECK(odd.dram_read.value == even.dram_read.value);
  }
  // Both operands are read and written once: 4 x 4096 x 4096 x 2 bytes, at memcpy's rate.
  const OperandCopies copies = *operand_copies(
      calibrated_h200(), parse_gemm_problem("4096x4096x4095"), Regime::kBurst, Inputs::kNormal);
  CHECK(copies.bytes.value == 4.0 * 4096 * 4096 * 2);
  const StreamProblem memcpy{1, i64{2} * 4096 * 4096, ElementType::kFp16, Op::kMemcpy};
  const Ranking best = rank_candidates(calibrated_h200(), memcpy, {StreamSchedule::kMemcpy},
                                       Regime::kBurst, Inputs::kNormal, 1);
  CHECK(copies.time == best.predictions.front().time);
  CHECK(!operand_copies(calibrated_h200(), parse_gemm_problem("4096x4095x4096"), Regime::kBurst,
                        Inputs::kNormal));
}

TEST_CASE("Leading dimensions of whole lines change nothing, others take longer") {
  const Prediction tight = predicted("4096x4096x4096");
  CHECK(predicted("4096x4096x4096 lda=8192 ldb=4224 ldc=8192").time == tight.time);
  // The rows are aligned to only 16 bytes, as with K = 4104.
  CHECK(predicted("4096x4096x4096 lda=4104 ldb=4104").time > tight.time);
}

TEST_CASE("Unaligned rows make no problem faster") {
  std::mt19937 random(daily_seed("odd sides"));
  for (int i = 0; i < 6; ++i) {
    const auto side = [&] { return 8 + static_cast<i64>(random() % 3000); };
    GemmProblem odd{.shape = {side(), side(), side() | 1},
                    .dtype = i % 3 == 2 ? ElementType::kE4m3 : ElementType::kFp16,
                    .layout = i % 3 == 1 ? Layout::kNn : Layout::kTn};
    GemmProblem padded = odd;
    padded.leading = {a_row(odd), b_row(odd) == sides_of_b(odd).columns ? 0 : b_row(odd), 0};
    if (is_fp8(odd.dtype)) {
      padded.shape.k += 1;
    }
    INFO(to_text(AnyProblem{odd}));
    const Prediction slow = first(odd), fast = first(padded);
    CHECK(slow.copies > Seconds{0});
    CHECK(slow.time > fast.time);
    CHECK((slow.time - slow.copies).value ==
          Approx(fast.time.value).epsilon(is_fp8(odd.dtype) ? 0.2 : 1e-9));
  }
}

TEST_CASE("An explanation lists the copies next to the kernel") {
  const GemmProblem odd = parse_gemm_problem("1024x1024x1023");
  const Explanation e = explain(calibrated_h200(), odd, gemm_config(kConfig), Regime::kBurst,
                                Inputs::kNormal, {.method = Method::kAnalytic});
  REQUIRE(e.copies);
  const Prediction p = predicted("1024x1024x1023");
  CHECK(e.predicted.time == p.time);
  CHECK(e.closed_form.time == p.time);
  for (const Elimination& without : e.without) {
    CHECK(without.cycles > cycles_of(e.copies->time, p.sm_clock));
    CHECK(without.cycles <= p.cycles);
  }
}

TEST_CASE(
    "A GPU without measured copies refuses unaligned A and B, and padded C needs multiples of 16 "
    "bytes") {
  GpuSpec gpu = calibrated_h200();
  gpu.stream.reset();
  CHECK(why_not_solvable(gpu, parse_gemm_problem("64x64x63"))
            .starts_with("rows of A and B must be multiples of 8 elements (16 bytes): h200_sxm "));
  CHECK(why_not_solvable(gpu, parse_gemm_problem("64x64x63 lda=64 ldb=64")).empty());
  CHECK(why_not_solvable(calibrated_h200(), parse_gemm_problem("64x64x64 ldc=65")) ==
        "ldc is 65: if C is not contiguous, ldc and N must be multiples of 16 bytes");
  CHECK(why_not_solvable(calibrated_h200(), parse_gemm_problem("64x63x64 ldc=64")) ==
        "ldc is 64: if C is not contiguous, ldc and N must be multiples of 16 bytes");
  CHECK(why_not_solvable(calibrated_h200(), parse_gemm_problem("[64,3]x64x64 ldc=72")) ==
        "ldc is 72: groups require contiguous C");
  KernelConfig split = fixed_by_schedule(Schedule::kSplitK);
  CHECK(check_legal(calibrated_h200(), parse_gemm_problem("64x64x64 ldc=72"), split) ==
        Refusal::kSchedule);
}

}  // namespace tilecast
