// Tests accumulation of fp8 on the device: precision of fast and of promoted sums at a long K,
// compared with cuBLASLt's; NaN and infinities. Random problems are in random_gemm_test.cpp, with
// epilogues in epilogue_test.cpp.

#include <cmath>
#include <cstdio>
#include <vector>

#include "model/gemm/menu/legality.h"
#include "model/spec/load_gpu.h"
#include "tests/gemm_check.h"
#include "tests/gemm_config.h"
#include "tests/gpu.h"

using namespace tilecast;

namespace {

/// Kernels of each path through K with promotion: two rows of wgmmas, the maximum columns, swapped
/// operands, tiles in turn, K split.
constexpr const char* kExact[] = {
    "ws 256x128x128 s3 w2x1 c2x1 o1 i0 e2 m8",     "ws 128x208x128 s3 w2x1 c1x1 o1 i0 e2 m8",
    "ws 128x72x128 s4 w2x1 c1x1 o1 i0 e2 m8 x",    "pp 64x136x128 s4 w1x1 c1x1 o1 i0 e1 m8",
    "sp 128x128x128 s4 w2x1 c1x1 o1 i0 e1 m8 k2t",
};
/// Kernels without promotion: one buffer, a ring, two tiles at once, A split over two CTAs, K
/// split.
constexpr const char* kFast[] = {
    "bl 128x128x128 s1 w1x1 c1x1 o1 i0 e1 m8",   "po 128x128x128 s4 w2x1 c1x1 o1 i1 e1 m8",
    "pp 64x128x64 s4 w1x1 c1x1 o1 i1 e1 m8",     "ws 128x256x128 s3 w2x1 c1x2 o1 i1 e2 m8",
    "sp 64x64x128 s4 w1x1 c1x1 o1 i1 e1 m8 k2t",
};

GemmProblem exact(const GemmShape& shape, ElementType dtype = ElementType::kE4m3,
                  ElementType c = ElementType::kBf16) {
  return {.shape = shape,
          .dtype = dtype,
          .layout = Layout::kTn,
          .c = c,
          .accumulate = Accumulate::kExact};
}

}  // namespace

TEST_CASE("Promoted accumulation loses no more precision at a longer K, fast accumulation does",
          "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  const auto check = [&](const char* text, const char* what) {
    REQUIRE(check_legal(load_gpu("h200_sxm", false).spec, bench.problem, gemm_config(text)) ==
            Refusal::kNone);
    const Verdict verdict = bench.check(gemm_config(text));
    std::printf("%s, %s: rms error %.2e, largest %.2e of the largest\n",
                to_text(bench.problem).c_str(), what, verdict.rms_error, *verdict.max_error);
    CHECK(verdict.fault == "");
    return verdict;
  };
  for (const ElementType dtype : {ElementType::kE4m3, ElementType::kE5m2}) {
    double shortest = 0;  // error of promoted sums at the shortest K
    for (const i64 k : {512, 4096, 16384, 65536}) {
      // C in fp32, so that rounding of C hides no error.
      GemmProblem problem = exact({256, 512, k}, dtype, ElementType::kFp32);
      problem.accumulate = Accumulate::kFast;
      bench.prepare(problem, Inputs::kNormal);
      const Verdict fast = check(kFast[3], "fast");
      problem.accumulate = Accumulate::kExact;
      bench.prepare(problem, Inputs::kNormal);
      const Verdict promoted = check(kExact[0], "exact");
      // Measured on an H100: 1.26e-4 and 8.2e-5 at any K; with fast accumulation, 0.6 to 1.0 times
      // this root.
      shortest = shortest == 0 ? promoted.rms_error : shortest;
      CHECK(promoted.rms_error < std::ldexp(1.0, -12));
      CHECK(promoted.rms_error == Approx(shortest).epsilon(0.1));
      CHECK(fast.rms_error < 2 * std::ldexp(std::sqrt(static_cast<double>(k) / 32), -13));
      if (dtype == ElementType::kE4m3) {  // cuBLASLt has no GEMM of e5m2 with e5m2
        const Verdict cublaslt = bench.check_cublaslt();
        std::printf("%s, cuBLASLt: rms error %.2e\n", to_text(bench.problem).c_str(),
                    cublaslt.rms_error);
        CHECK(cublaslt.fault == "");
      }
      if (k >= 4096) {
        CHECK(promoted.rms_error < fast.rms_error);
      }
      if (k >= 16384) {  // accumulators are truncated, not rounded
        CHECK(fast.rms_error > std::ldexp(1.0, -11));
      }
    }
  }
}

TEST_CASE("NaN and infinity in fp8 reach their row of C and no other", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  constexpr i64 kRows = 200, kColumns = 144, kDepth = 1040, kRow = 131, kAt = 1037;
  const struct {
    ElementType dtype;
    unsigned char bits;
  } values[] = {{ElementType::kE4m3, 0x7f},   // NaN; e4m3 has no infinity
                {ElementType::kE5m2, 0x7e},   // NaN
                {ElementType::kE5m2, 0x7c}};  // infinity
  for (const auto& [dtype, bits] : values) {
    for (const Accumulate accumulate : {Accumulate::kFast, Accumulate::kExact}) {
      GemmProblem problem = exact({kRows, kColumns, kDepth}, dtype);
      problem.accumulate = accumulate;
      bench.prepare(problem, Inputs::kUniform);
      TILECAST_CUDA(
          cudaMemsetAsync(static_cast<unsigned char*>(bench.a.as<void>()) + kRow * kDepth + kAt,
                          bits, 1, bench.stream.get()));
      for (const char* text : accumulate == Accumulate::kFast ? kFast : kExact) {
        INFO(text);
        const KernelConfig config = gemm_config(text);
        LoadedKernel kernel = bench.load(config);
        const GemmLaunch launch(kernel, bench.problem, config);
        launch.launch(launch.bind(bench.buffers(bench.c.as<void>())), bench.stream.get());
        const std::vector<unsigned short> c =
            copy_to_host(bench.c.as<unsigned short>(), kRows * kColumns, bench.stream.get());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < c.size(); ++i) {
          const bool not_finite = (c[i] & 0x7f80) == 0x7f80;  // exponent bits of bf16
          wrong += not_finite == (static_cast<i64>(i) / kColumns == kRow) ? 0 : 1;
        }
        CHECK(wrong == 0);
      }
    }
  }
}
