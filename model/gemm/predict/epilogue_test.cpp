// Tests the effect of fused epilogues on predictions, with and without the learned correction.
#include <iterator>
#include <vector>

#include "model/gemm/costs/fused_epilogue.h"
#include "model/gemm/menu/candidates.h"
#include "model/gemm/menu/legality.h"
#include "model/gemm/problem/problem_text.h"
#include "model/ops/any_op.h"
#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "tests/h200.h"
#include "tests/seed.h"

namespace tilecast {
namespace {

constexpr Epilogue kBiasGelu{step<BiasN>(), step<Gelu>()};
constexpr Epilogue kSilu{step<Silu>()};

GemmProblem problem(const GemmShape& shape, const Epilogue& epilogue = {}) {
  return {shape, ElementType::kFp16, Layout::kTn, epilogue};
}

/// Returns a sample of each schedule's candidates.
std::vector<KernelConfig> some_candidates(const GpuSpec& gpu, const GemmShape& shape) {
  constexpr std::size_t kStep = 101;  // samples a few hundred to a few thousand candidates
  std::vector<KernelConfig> some;
  for (const Schedule schedule : kWgmmaSchedules) {
    const auto legal = enumerate_candidates(gpu, problem(shape), {schedule}).legal;
    for (std::size_t i = legal.size() / 3; i < legal.size(); i += kStep * 10) {
      if (legal[i].operands == OperandOrder::kInOrder) {  // swapped operands do not support
                                                          // epilogues
        some.push_back(legal[i]);
      }
    }
  }
  return some;
}

Prediction predicted(const GpuSpec& gpu, const GemmProblem& of, const KernelConfig& config,
                     Method method) {
  return predict_config(gpu, of, config, Regime::kBurst, Inputs::kNormal, method);
}

TEST_CASE("An epilogue never makes a kernel faster, and at most slower by its full exposed time") {
  const GpuSpec physics = load_gpu("h200_sxm", false).spec;
  // each candidate takes a tenth of a second
  Turns turns("candidates with and without an epilogue", 5);
  int kernels = 0;
  for (const GemmShape& shape :
       {GemmShape{1024, 2048, 4096}, GemmShape{300, 1000, 512}, GemmShape{512, 512, 16384}}) {
    for (const KernelConfig& config : some_candidates(physics, shape)) {
      if (!turns.due()) {
        continue;
      }
      for (const Method method : {Method::kAnalytic, Method::kSimulated}) {
        const Prediction plain = predicted(physics, problem(shape), config, method);
        for (const Epilogue& epilogue : {kBiasGelu, kSilu}) {
          const Prediction fused = predicted(physics, problem(shape, epilogue), config, method);
          INFO(to_text(shape) << " " << to_text(epilogue) << " " << to_text(config) << " "
                              << to_text(method) << ": " << plain.cycles.value << ", "
                              << fused.cycles.value);
          CHECK(fused.time.value >= plain.time.value * (1 - 1e-9));
          // The busiest SM has less than twice an even share of the tiles plus one CTA's (or two
          // CTAs').
          const Tiling& t = config.tiling;
          const double tiles = static_cast<double>(ceil_div<i64>(shape.m, t.block_m) *
                                                   ceil_div<i64>(shape.n, t.block_n));
          const double most = 2 * tiles / physics.sm.count + 2 * config.ctas_per_sm + 2;
          const double each = fused_time(*physics.machine, epilogue, t.block_m * t.block_n).value;
          CHECK(fused.cycles.value <= plain.cycles.value * 1.01 + most * each + 2000);
          ++kernels;
        }
      }
    }
  }
  CHECK(kernels >= 20);
}

TEST_CASE("With ping-pong an epilogue costs next to nothing") {
  const GemmShape shape{4096, 8192, 4096};
  const KernelConfig config = gemm_config("pp 64x256x64 s4 w1x1 c2x1 o1 i1 e2 m8");
  const Prediction plain = predicted(h200(), problem(shape), config, Method::kAnalytic);
  const Prediction fused = predicted(h200(), problem(shape, kBiasGelu), config, Method::kAnalytic);
  CHECK(fused.cycles.value <= plain.cycles.value * 1.005);
}

TEST_CASE("The bias is read from DRAM once") {
  const GemmShape shape{1024, 2048, 512};
  const KernelConfig config = gemm_config("ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8");
  for (const Method method : {Method::kAnalytic, Method::kSimulated}) {
    const Bytes plain = predicted(h200(), problem(shape), config, method).dram_read;
    const Bytes fused = predicted(h200(), problem(shape, kBiasGelu), config, method).dram_read;
    CHECK(fused.value - plain.value == Approx(2048 * 2));  // fp16
  }
}

TEST_CASE("The residual is read from DRAM once, and hidden by ping-pong") {
  const GemmShape shape{4096, 8192, 4096};
  GemmProblem with_r = problem(shape, parse_epilogue("residual"));
  const KernelConfig in_turn = gemm_config("pp 64x256x64 s4 w1x1 c2x1 o1 i1 e2 m8");
  const KernelConfig together = gemm_config("ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8");
  for (const Method method : {Method::kAnalytic, Method::kSimulated}) {
    for (const KernelConfig& config : {in_turn, together}) {
      const Prediction plain = predicted(h200(), problem(shape), config, method);
      const Prediction added = predicted(h200(), with_r, config, method);
      INFO(to_text(config) << " " << to_text(method) << ": " << plain.cycles.value << ", "
                           << added.cycles.value);
      const double bytes = 4096.0 * 8192 * 2;  // 16-bit elements
      if (method == Method::kAnalytic) {
        CHECK(added.dram_read.value - plain.dram_read.value == Approx(bytes));
      } else {  // CTAs run in another order, so L2 merges other loads
        CHECK(added.dram_read.value >= gemm_bytes(problem(shape)));  // reads without C, plus R
      }
      CHECK(added.cycles.value >= plain.cycles.value * (1 - 1e-9));
      CHECK(added.cycles.value <= plain.cycles.value * (config == in_turn ? 1.04 : 1.15));
    }
  }
  with_r.c = ElementType::kFp32;
  CHECK(gemm_bytes(with_r) - gemm_bytes(problem(shape)) == 4096.0 * 8192 * (4 + 4 - 2));
}

TEST_CASE("C in fp32 takes longer to write, the half-width C of a gate less") {
  const GemmShape shape{4096, 4096, 256};
  GemmProblem wide = problem(shape), gate = problem(shape, parse_epilogue("swiglu"));
  wide.c = ElementType::kFp32;
  const KernelConfig config = gemm_config("ws 128x256x64 s3 w2x1 c1x1 o1 i1 e2 m8");
  for (const Method method : {Method::kAnalytic, Method::kSimulated}) {
    const Prediction plain = predicted(h200(), problem(shape), config, method);
    const Prediction of_wide = predicted(h200(), wide, config, method);
    const Prediction of_gate = predicted(h200(), gate, config, method);
    CHECK(of_wide.cycles.value > plain.cycles.value * 1.2);
    CHECK(of_wide.dram_write.value == Approx(2 * plain.dram_write.value).epsilon(0.02));
    CHECK(of_gate.dram_write.value == Approx(plain.dram_write.value / 2).epsilon(0.02));
  }
}

TEST_CASE("An unsupported epilogue is refused in one line") {
  const auto why = [&](const char* text) {
    return why_not_solvable(h200(), parse_gemm_problem(text));
  };
  CHECK(why("512x512x512 bf16 tn bias_n+residual") == "");
  CHECK(why("512x512x512 bf16->fp32 tn residual") == "");
  CHECK(why("512x512x512 e4m3->e4m3 tn scale_row+silu+amax+scale_c") == "");
  CHECK(why("512x512x512 bf16->fp32 tn bias_n") ==
        "epilogue bias_n: a bias is not supported with fp32 output");
  CHECK(why("512x512x512 bf16->e4m3 tn swiglu") ==
        "epilogue swiglu: gated activation and residual are not supported with e4m3 output");
  CHECK(why("512x512x512 bf16 tn scale_c") ==
        "epilogue scale_c: scale_c requires fp8 output (dtype_c e4m3)");
  CHECK(why("512x512x512 bf16 tn swiglu+residual") ==
        "epilogue swiglu+residual: a gate cannot be combined with a residual");
  CHECK(why("512x511x512 bf16 tn swiglu") ==
        "epilogue swiglu: gated activation needs an even N, got 511");
  CHECK(why("512x512x512 e4m3 tn scale_row") == "");
  CHECK(why("512x512x512 bf16 tn scale_row") ==
        "epilogue scale_row: scales require fp8 operands, not bf16");
  CHECK(why("2*512x512x512 e4m3 tn scale_tensor") ==
        "epilogue scale_tensor: scales are not supported with a batch");
  CHECK(why("[512,512]x512x512 bf16 tn residual") ==
        "epilogue residual: grouped kernels support only scale_block");
}

TEST_CASE("The learned correction covers epilogues, and no epilogue makes a kernel faster") {
  const GemmShape shape{4096, 4096, 4096};
  const auto first = [&](const Epilogue& epilogue) {
    return rank_candidates(calibrated_h200(), problem(shape, epilogue), {}, Regime::kBurst,
                           Inputs::kNormal, 1, {.method = Method::kAnalytic})
        .predictions.front();
  };
  const Prediction plain = first({}), fused = first(kBiasGelu);
  CHECK_FALSE(plain.extrapolated);
  CHECK_FALSE(fused.extrapolated);
  CHECK(fused.time.value >= plain.time.value * (1 - 0.001));
}

}  // namespace
}  // namespace tilecast
