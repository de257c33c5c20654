// Checks a kernel of each schedule against cuBLASLt, checks that a thousand runs give the same
// bits, and tests the verifier on outputs with one wrong element. Random problems and kernels are
// in random_gemm_test.cpp, ways to split K in split_k_test.cpp.

#include <functional>
#include <string>
#include <vector>

#include "kernels/jit/gemm_launch.h"
#include "tests/gemm_check.h"
#include "tests/gemm_config.h"
#include "tests/gpu.h"

using namespace tilecast;

namespace {

/// Returns how many of `runs` runs have other bits than the first one.
u64 runs_that_differ(GpuTestBench& bench, const KernelConfig& config, int runs) {
  const HangGuard guard(to_text(config));
  LoadedKernel kernel = bench.load(config);
  const GemmLaunch launch(kernel, bench.problem, config);
  const auto elements = static_cast<std::size_t>(bench.problem.shape.m) *
                        static_cast<std::size_t>(bench.problem.shape.n);
  const DeviceMemory first(elements * 2), again(elements * 2);
  const DeviceMemory different(sizeof(u64) * static_cast<std::size_t>(runs));
  TILECAST_CUDA(cudaMemsetAsync(different.as<void>(), 0, different.bytes(), bench.stream.get()));
  const auto run = [&](const DeviceMemory& c) {
    TILECAST_CUDA(cudaMemsetAsync(c.as<void>(), kPoisonByte, c.bytes(), bench.stream.get()));
    launch.launch(launch.bind({bench.a.as<void>(), bench.b.as<void>(), c.as<void>()}),
                  bench.stream.get());
  };
  run(first);
  for (int i = 0; i < runs; ++i) {
    run(again);
    bench.kernels.check_same(again.as<void>(), first.as<void>(), elements, different.as<u64>() + i,
                             bench.stream.get());
  }
  u64 count = 0;
  for (const u64 elements_of_run :
       copy_to_host(different.as<u64>(), static_cast<std::size_t>(runs), bench.stream.get())) {
    count += elements_of_run != 0 ? 1 : 0;
  }
  return count;
}

/// Returns the verdict on cuBLASLt's result after `spoil` has changed it.
Verdict spoiled(const std::function<void(char* c, cudaStream_t stream)>& spoil) {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  bench.prepare({{200, 120, 64}, ElementType::kFp16, Layout::kTn}, Inputs::kNormal);
  const CublasltMatmul matmul(bench.cublaslt, bench.problem, false);
  const cublasLtMatmulAlgo_t algorithm = matmul.algorithms(1).front();
  return bench.verifier.check([&](void* c) {
    matmul.run(algorithm, bench.buffers(nullptr), c, bench.stream.get());
    spoil(static_cast<char*>(c), bench.stream.get());
  });
}

}  // namespace

TEST_CASE("A thousand runs of a schedule give the same bits, as accurate as cuBLASLt's", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  constexpr int kRuns = 1000;
  const std::vector<std::string> of_each = {
      "bl 128x128x128 s1 w1x1 c1x1 o2 i0 e0 m8", "bp 128x128x64 s2 w2x1 c1x1 o2 i1 e0 n2",
      "pi 128x128x64 s4 w2x1 c1x1 o1 i1 e2 m1",  "pe 128x128x64 s4 w2x1 c1x1 o1 i1 e2 n1k",
      "po 128x256x64 s3 w2x1 c1x1 o1 i1 e0 m8",  "po 128x256x64 s3 w2x1 c2x1 o1 i1 e2 hk",
      "ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8",  "pp 64x256x64 s4 w1x1 c1x1 o1 i1 e2 m8",
      "pp 128x128x64 s4 w1x1 c2x1 o1 i1 e2 n4"};
  compile_all(bench, of_each, ElementType::kFp16, Layout::kTn);
  bench.prepare({{2100, 2056, 520}, ElementType::kFp16, Layout::kTn}, Inputs::kNormal);
  const Verdict cublaslt = bench.check_cublaslt();
  for (const std::string& text : of_each) {
    INFO(text);
    check_gemm(bench, gemm_config(text), &cublaslt);
    CHECK(runs_that_differ(bench, gemm_config(text), kRuns) == 0);
  }
  // Deterministic reductions of the schedules that split K. `atomic` adds partial sums in any order
  // and therefore rounds differently from run to run.
  const struct {
    const char* text;
    GemmShape shape;
  } shared_tiles[] = {
      // 17 x 25 tiles of 33 K blocks: all are cut one after another; or 161 are cut and 264 are
      // whole
      {"sk 64x64x64 s6 w1x1 c1x1 o1 i1 e1 m8 k4+t", {1032, 1544, 2056}},
      {"skh 64x64x64 s6 w1x1 c1x1 o1 i1 e1 n4 k2+t", {1032, 1544, 2056}},
      // 25 tiles x 5 parts = 125 CTAs that wait for one another; the GPU holds 132
      {"sp 128x128x64 s6 w2x1 c1x1 o1 i1 e2 m8 k5s", {520, 520, 4104}},
  };
  for (const auto& [text, shape] : shared_tiles) {
    INFO(text);
    compile_all(bench, {text}, ElementType::kFp16, Layout::kTn);
    bench.prepare({shape, ElementType::kFp16, Layout::kTn}, Inputs::kNormal);
    CHECK(runs_that_differ(bench, gemm_config(text), kRuns) == 0);
  }
  bench.prepare({{61, 256, 64}, ElementType::kFp16, Layout::kTn}, Inputs::kNormal);
  CHECK(runs_that_differ(bench, gemm_config("sm 64x256x64 s1 w1x1 c1x1 o1 i0 e0 m1 rs in32"),
                         kRuns) == 0);
}

TEST_CASE("Runs of different inputs differ", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  const DeviceMemory zeros(64), ones(64), different(sizeof(u64));
  TILECAST_CUDA(cudaMemset(zeros.as<void>(), 0, 64));
  TILECAST_CUDA(cudaMemset(ones.as<void>(), 0, 64));
  TILECAST_CUDA(cudaMemset(ones.as<void>(62), 1, 2));  // the last element of 32
  TILECAST_CUDA(cudaMemset(different.as<void>(), 0, sizeof(u64)));
  TILECAST_CUDA(cudaDeviceSynchronize());
  bench.kernels.check_same(ones.as<void>(), zeros.as<void>(), 31, different.as<u64>(),
                           bench.stream.get());
  CHECK(copy_to_host(different.as<u64>(), 1, bench.stream.get()).front() == 0);
  bench.kernels.check_same(ones.as<void>(), zeros.as<void>(), 32, different.as<u64>(),
                           bench.stream.get());
  CHECK(copy_to_host(different.as<u64>(), 1, bench.stream.get()).front() == 1);
}

TEST_CASE("cuBLASLt's own result passes the check, and one wrong word in or next to C is found",
          "[gpu]") {
  const struct {
    std::ptrdiff_t at;  // element of C, whose rows have 120 elements
    int byte;
    const char* fault;
  } cases[] = {
      {0, -1, ""},
      {120 * 7 + 5, 0xff, "row 7, column 5"},  // NaN: not written
      // 0x5858 is 139.0 in fp16, beyond any sum of 64 products here.
      {120 * 199 + 119, 0x58, "1 of 24000 elements are wrong"},
      {-1, 0, "words"},
      {200 * 120, 0, "words"},
  };
  for (const auto& [at, byte, fault] : cases) {
    const Verdict verdict = spoiled([&](char* c, cudaStream_t stream) {
      if (byte >= 0) {
        TILECAST_CUDA(cudaMemsetAsync(c + 2 * at, byte, 2, stream));
      }
    });
    INFO(verdict.fault);
    CHECK(verdict.right() == (byte < 0));
    CHECK(contains(verdict.fault, fault));
  }
}
