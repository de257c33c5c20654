// Every schedule on shapes that divide by nothing, in both layouts and types, against cuBLASLt and
// fp64; and the verifier against outputs that are wrong in one place.

#include <string>
#include <vector>

#include "kernels/jit/gemm_kernel.h"
#include "kernels/jit/gemm_launch.h"
#include "model/tile/kernel_config_text.h"
#include "tests/catch.h"
#include "tests/gpu.h"
#include "validate/measure/compile_ahead.h"
#include "validate/measure/gpu_test_bench.h"

using namespace tilecast;

namespace {

const std::vector<std::string> kConfigs = {
    "pipelined:tile=128x128x64,stages=4,warpgroups=2,cluster=1x1,ctas=1,inflight=1,"
    "raster=grouped_m,group=1",
    "pipelined:tile=64x64x64,stages=3,warpgroups=1,cluster=1x1,ctas=2,inflight=0,"
    "raster=grouped_n,group=4",
    "pipelined:tile=128x256x64,stages=3,warpgroups=2,cluster=1x1,ctas=1,inflight=1,"
    "raster=grouped_m,group=8",
    "persistent:tile=128x128x64,stages=4,warpgroups=2,cluster=1x1,ctas=1,inflight=1,"
    "raster=chunked,group=1",
    "persistent:tile=64x256x128,stages=2,warpgroups=1,cluster=1x1,ctas=1,inflight=0,"
    "raster=grouped_m,group=2",
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2,cluster=2x1,ctas=1,inflight=1,"
    "raster=grouped_m,group=8",
    "warp_specialized:tile=128x128x64,stages=5,warpgroups=2,cluster=1x2,ctas=1,inflight=1,"
    "raster=grouped_n,group=3",
    "warp_specialized:tile=256x128x64,stages=3,warpgroups=2,cluster=2x2,ctas=1,inflight=0,"
    "raster=chunked,group=1",
    "warp_specialized:tile=192x192x64,stages=3,warpgroups=3,cluster=1x1,ctas=1,inflight=1,"
    "raster=grouped_m,group=2",
    "warp_specialized:tile=64x32x64,stages=6,warpgroups=1,cluster=1x1,ctas=2,inflight=1,"
    "raster=grouped_n,group=1",  // last: half a swizzle row, which nn has no kernel for
};

std::vector<std::string> configs_of(Layout layout) {
  std::vector<std::string> configs = kConfigs;
  if (layout == Layout::kNn) {
    configs.pop_back();
  }
  return configs;
}

/// Ragged, tiny, and with rows of C that bulk stores cannot write.
const std::vector<GemmShape> kShapes = {{128, 128, 64},  {1, 8, 8},       {17, 24, 40},
                                        {129, 264, 72},  {333, 520, 200}, {1000, 2000, 3000},
                                        {64, 4096, 128}, {512, 512, 4096}};
const std::vector<GemmShape> kUnalignedRows = {
    {1, 1, 8}, {100, 100, 104}, {257, 129, 64}, {410, 1030, 1032}};

int check_all(const std::vector<GemmShape>& shapes, ElementType dtype, Layout layout) {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  std::vector<KernelSource> sources;
  for (const std::string& text : configs_of(layout)) {
    sources.push_back(gemm_source(parse_kernel_config(text), dtype, layout));
  }
  compile_ahead(sources, bench.cache, [](std::size_t, std::size_t) {});
  int checked = 0;
  for (const GemmShape& shape : shapes) {
    bench.prepare({shape, dtype, layout}, Inputs::kNormal);
    for (const std::string& text : configs_of(layout)) {
      const KernelConfig config = parse_kernel_config(text);
      LoadedKernel kernel = bench.load(config);
      const GemmLaunch launch(kernel, bench.problem, config);
      const Verdict verdict = bench.verifier.check([&](void* c) {
        launch.launch(launch.bind({bench.a.as<void>(), bench.b.as<void>(), c}), bench.stream.get());
      });
      INFO(to_text(shape) << " " << to_text(dtype) << " " << to_text(layout) << " " << text);
      CHECK(verdict.fault == "");
      ++checked;
    }
  }
  return checked;
}

/// cuBLASLt's result, then `spoil` on the output.
Verdict spoiled(const std::function<void(char* c, cudaStream_t stream)>& spoil) {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  bench.prepare({{200, 120, 64}, ElementType::kFp16, Layout::kTn}, Inputs::kNormal);
  const CublasltMatmul matmul(bench.cublaslt, bench.problem, false);
  const cublasLtMatmulAlgo_t algorithm = matmul.algorithms(1).front();
  return bench.verifier.check([&](void* c) {
    matmul.run(algorithm, bench.a.as<void>(), bench.b.as<void>(), c, bench.stream.get());
    spoil(static_cast<char*>(c), bench.stream.get());
  });
}

}  // namespace

TEST_CASE("Every schedule computes fp16 tn on ragged and tiny shapes", "[gpu]") {
  CHECK(check_all(kShapes, ElementType::kFp16, Layout::kTn) == 80);  // 8 shapes, 10 configurations
}

TEST_CASE("Every schedule computes fp16 nn on ragged and tiny shapes", "[gpu]") {
  CHECK(check_all(kShapes, ElementType::kFp16, Layout::kNn) == 72);  // 8 shapes, 9 configurations
}

TEST_CASE("Every schedule computes bf16 in both layouts", "[gpu]") {
  CHECK(check_all(kShapes, ElementType::kBf16, Layout::kTn) == 80);
  CHECK(check_all(kShapes, ElementType::kBf16, Layout::kNn) == 72);
}

TEST_CASE("Every schedule writes C by plain stores where N is not a multiple of 8", "[gpu]") {
  CHECK(check_all(kUnalignedRows, ElementType::kFp16, Layout::kTn) == 40);
  CHECK(check_all(kUnalignedRows, ElementType::kBf16, Layout::kTn) == 40);
}

TEST_CASE("cuBLASLt's own result passes the check", "[gpu]") {
  CHECK(spoiled([](char*, cudaStream_t) {}).fault == "");
}

TEST_CASE("One element that was not written is found", "[gpu]") {
  const Verdict verdict = spoiled([](char* c, cudaStream_t stream) {
    constexpr int kNaNByte = 0xff;
    TILECAST_CUDA(cudaMemsetAsync(c + 2 * (120 * 7 + 5), kNaNByte, 2, stream));  // row 7, column 5
  });
  CHECK(verdict.fault.find("row 7, column 5") != std::string::npos);
}

TEST_CASE("One wrong element in 24,000 is found", "[gpu]") {
  const Verdict verdict = spoiled([](char* c, cudaStream_t stream) {
    constexpr int kByte = 0x58;  // 0x5858 is 139.0 in fp16, beyond any sum of 64 products here
    TILECAST_CUDA(cudaMemsetAsync(c + 2 * (120 * 199 + 119), kByte, 2, stream));
  });
  CHECK(verdict.fault.find("1 of 24000 elements are wrong") != std::string::npos);
}

TEST_CASE("A write one element before or behind the output is found", "[gpu]") {
  CHECK_FALSE(spoiled([](char* c, cudaStream_t stream) {
                TILECAST_CUDA(cudaMemsetAsync(c - 2, 0, 2, stream));
              }).right());
  CHECK_FALSE(spoiled([](char* c, cudaStream_t stream) {
                TILECAST_CUDA(cudaMemsetAsync(c + 2 * 200 * 120, 0, 2, stream));
              }).right());
}
