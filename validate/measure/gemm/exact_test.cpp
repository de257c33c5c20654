// Exact accumulation of fp8 on the device: random problems and configurations, what sums keep of a
// long K beside fast ones and cuBLASLt's, what is not finite. Random epilogues and scales of such
// sums are in epilogue_test.cpp and scales_test.cpp.

#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "model/gemm/config/schedule_text.h"
#include "model/gemm/menu/candidates.h"
#include "model/gemm/menu/legality.h"
#include "model/gemm/problem/group_rows.h"
#include "model/spec/load_gpu.h"
#include "tests/gemm_check.h"
#include "tests/gpu.h"
#include "tests/seed.h"

using namespace tilecast;

namespace {

/// A kernel of each way through K: two rows of wgmmas, the most columns, swapped operands, tiles in
/// turn, K split.
constexpr const char* kConfigs[] = {
    "warp_specialized:tile=256x128x128,stages=3,warpgroups=2x1,cluster=2x1,ctas=1,inflight=0,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided",
    "warp_specialized:tile=128x208x128,stages=3,warpgroups=2x1,cluster=1x1,ctas=1,inflight=0,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided",
    "warp_specialized:tile=128x72x128,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=0,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided,operands=swapped",
    "ping_pong:tile=64x136x128,stages=4,cluster=1x1,ctas=1,inflight=0,c_slots=1,producer=40,"
    "raster=grouped_m,group=8,walk=strided",
    "split_k:tile=128x128x128,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=0,c_slots=1,"
    "producer=40,splits=2,reduction=turnstile,raster=grouped_m,group=8",
};
constexpr const char* kFast =  // in fp32 C, whose slots are twice as large
    "warp_specialized:tile=128x256x128,stages=3,warpgroups=2x1,cluster=1x2,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided";

GemmProblem exact(const GemmShape& shape, ElementType dtype = ElementType::kE4m3,
                  ElementType c = ElementType::kBf16) {
  return {.shape = shape,
          .dtype = dtype,
          .layout = Layout::kTn,
          .c = c,
          .accumulate = Accumulate::kExact};
}

/// One product, a batch or groups.
GemmProblem random_problem(int index, std::mt19937& random) {
  const auto up_to = [&](i64 most) { return drawn_up_to(most, random); };
  const i64 sides[] = {64, 300, 1500};
  const i64 m = up_to(sides[random() % 3]), n = up_to(sides[random() % 3]), k = 16 * up_to(130);
  GemmProblem problem = exact({m, n, k}, index % 2 == 0 ? ElementType::kE4m3 : ElementType::kE5m2,
                              index % 4 < 2 ? ElementType::kBf16 : ElementType::kFp16);
  if (index % 3 == 1) {
    problem.batch.products = up_to(4);
    problem.batch.one_b = problem.batch.products > 1 && random() % 2 == 0;
  } else if (index % 3 == 2) {
    return in_groups(problem, {up_to(200), 0, up_to(200), up_to(200)});
  }
  return problem;
}

}  // namespace

TEST_CASE("Promoted accumulation of random GEMMs, batches and groups is right", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  std::mt19937 random(daily_seed("exact accumulation"));
  std::vector<Drawn> cases;
  for (int i = 0; i < 24; ++i) {
    Drawn drawn{random_problem(i, random), {}};
    for (const Schedule schedule : kWgmmaSchedules) {
      draw_one(enumerate_candidates(gpu, drawn.problem, {schedule}).legal, random, drawn.configs);
    }
    cases.push_back(drawn);
  }
  const std::map<Schedule, int> checked = check_walked(bench, cases);
  for (const auto& [schedule, count] : checked) {
    std::printf("%s: %d\n", std::string(to_text(schedule)).c_str(), count);
  }
  CHECK(checked.contains(Schedule::kWarpSpecialized));
  CHECK(checked.contains(Schedule::kPingPong));
  CHECK(checked.contains(Schedule::kSplitK));
}

TEST_CASE("Promoted accumulation loses no more precision at a longer K, fast accumulation does",
          "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  const auto check = [&](const char* text, const char* what) {
    REQUIRE(check_legal(load_gpu("h200_sxm", false).spec, bench.problem,
                        parse_kernel_config(text)) == Refusal::kNone);
    const Verdict verdict = bench.check(parse_kernel_config(text));
    std::printf("%s, %s: rms error %.2e, largest %.2e of the largest\n",
                to_text(bench.problem).c_str(), what, verdict.rms_error, *verdict.max_error);
    CHECK(verdict.fault == "");
    return verdict;
  };
  for (const ElementType dtype : {ElementType::kE4m3, ElementType::kE5m2}) {
    double shortest = 0;  // error of exact sums of the shortest K
    for (const i64 k : {512, 4096, 16384, 65536}) {
      // C in fp32, whose rounding hides nothing.
      GemmProblem problem = exact({256, 512, k}, dtype, ElementType::kFp32);
      problem.accumulate = Accumulate::kFast;
      bench.prepare(problem, Inputs::kNormal);
      const Verdict fast = check(kFast, "fast");
      problem.accumulate = Accumulate::kExact;
      bench.prepare(problem, Inputs::kNormal);
      const Verdict promoted = check(kConfigs[0], "exact");
      // Measured on an H100: 1.26e-4 and 8.2e-5, whatever K; of fast sums 0.6 to 1.0 of this root.
      shortest = shortest == 0 ? promoted.rms_error : shortest;
      CHECK(promoted.rms_error < std::ldexp(1.0, -12));
      CHECK(promoted.rms_error == Approx(shortest).epsilon(0.1));
      CHECK(fast.rms_error < 2 * std::ldexp(std::sqrt(static_cast<double>(k) / 32), -13));
      if (dtype == ElementType::kE4m3) {  // cuBLASLt has no product of e5m2 with e5m2
        const Verdict cublaslt = bench.check_cublaslt();
        std::printf("%s, cuBLASLt: rms error %.2e\n", to_text(bench.problem).c_str(),
                    cublaslt.rms_error);
        CHECK(cublaslt.fault == "");
      }
      if (k >= 4096) {
        CHECK(promoted.rms_error < fast.rms_error);
      }
    }
  }
}

TEST_CASE("With promotion, NaN and infinity in fp8 reach their row of C and no other", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  constexpr i64 kRows = 200, kColumns = 144, kDepth = 1040, kRow = 131, kAt = 1037;
  for (const bool infinite : {false, true}) {
    const ElementType dtype = infinite ? ElementType::kE5m2 : ElementType::kE4m3;
    const unsigned char value = infinite ? 0x7c : 0x7f;  // e4m3 has no infinity, but NaN
    bench.prepare(exact({kRows, kColumns, kDepth}, dtype), Inputs::kUniform);
    TILECAST_CUDA(
        cudaMemsetAsync(static_cast<unsigned char*>(bench.a.as<void>()) + kRow * kDepth + kAt,
                        value, 1, bench.stream.get()));
    for (const char* text : kConfigs) {
      INFO(text);
      const KernelConfig config = parse_kernel_config(text);
      LoadedKernel kernel = bench.load(config);
      const GemmLaunch launch(kernel, bench.problem, config);
      launch.launch(launch.bind(bench.buffers(bench.c.as<void>())), bench.stream.get());
      const std::vector<unsigned short> c =
          copy_to_host(bench.c.as<unsigned short>(), kRows * kColumns, bench.stream.get());
      std::size_t wrong = 0;
      for (std::size_t i = 0; i < c.size(); ++i) {
        const bool not_finite = (c[i] & 0x7f80) == 0x7f80;  // of bf16
        wrong += not_finite == (static_cast<i64>(i) / kColumns == kRow) ? 0 : 1;
      }
      CHECK(wrong == 0);
    }
  }
}
