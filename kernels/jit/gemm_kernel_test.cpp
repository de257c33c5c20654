// Compiles real GEMM kernels to cubins, without a GPU. A fixed list guards the configurations that
// matter; a few more legal ones are drawn by a seed that changes daily, so that over time the space
// is covered. A rejection of one of those means that the model's legality is wrong.
#include "kernels/jit/gemm_kernel.h"

#include <chrono>
#include <cstdio>
#include <random>
#include <vector>

#include "model/base/error.h"
#include "model/predict/candidates.h"
#include "model/spec/load_gpu.h"
#include "model/tile/kernel_config_text.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

constexpr i32 kRegistersPerSm = 65536;  // of Hopper
constexpr int kDrawnPerLayout = 6;

KernelConfig flagship() {
  return parse_kernel_config(
      "warp_specialized:tile=128x256x64,stages=4,warpgroups=2,cluster=2x1,ctas=1,inflight=1,"
      "raster=grouped_m,group=8");
}

void check_usable(const KernelConfig& config, ElementType dtype, Layout layout) {
  INFO(to_text(config) << " " << to_text(dtype) << " " << to_text(layout));
  CubinCache none{std::filesystem::path()};
  const CompiledKernel kernel = compile_gemm(config, dtype, layout, none);
  INFO(kernel.log);
  CHECK(kernel.rejection == "");
  const i32 threads = threads_per_cta(config.schedule, config.tiling);
  CHECK(kernel.report.registers * threads * config.ctas_per_sm <= kRegistersPerSm);
}

}  // namespace

TEST_CASE("Configurations that differ in raster or group alone share a cubin") {
  KernelConfig other = flagship();
  other.raster = {RasterKind::kChunked, 1};
  const auto defines = [](const KernelConfig& config) {
    return defines_for(config, ElementType::kFp16, Layout::kTn);
  };
  CHECK(defines(other) == defines(flagship()));
  other = flagship();
  other.inflight = 0;
  CHECK(defines(other) != defines(flagship()));
  CHECK(defines_for(flagship(), ElementType::kBf16, Layout::kTn) != defines(flagship()));
  CHECK(defines_for(flagship(), ElementType::kFp16, Layout::kNn) != defines(flagship()));
}

TEST_CASE("What no kernel supports is refused by name") {
  CHECK_THROWS_AS(gemm_source(flagship(), ElementType::kFp32, Layout::kTn), ConfigError);
  KernelConfig clustered = flagship();
  clustered.schedule = Schedule::kPipelined;
  CHECK_THROWS_AS(gemm_source(clustered, ElementType::kFp16, Layout::kTn), ConfigError);
}

TEST_CASE("The kernels that matter compile without spills and without lost asynchrony") {
  for (const char* text : {
           "warp_specialized:tile=128x256x64,stages=4,warpgroups=2,cluster=2x1,ctas=1,inflight=1,"
           "raster=grouped_m,group=8",
           "pipelined:tile=128x256x64,stages=3,warpgroups=2,cluster=1x1,ctas=1,inflight=1,"
           "raster=grouped_m,group=8",
           "persistent:tile=128x256x64,stages=4,warpgroups=2,cluster=1x1,ctas=1,inflight=1,"
           "raster=grouped_m,group=8",
       }) {
    for (const ElementType dtype : {ElementType::kFp16, ElementType::kBf16}) {
      for (const Layout layout : {Layout::kTn, Layout::kNn}) {
        check_usable(parse_kernel_config(text), dtype, layout);
      }
    }
  }
}

TEST_CASE("Tiles from small to large compile for every schedule that takes them") {
  for (const char* text : {
           "warp_specialized:tile=256x128x64,stages=4,warpgroups=2,cluster=1x2,ctas=1,inflight=1,"
           "raster=grouped_n,group=8",
           "warp_specialized:tile=256x192x64,stages=3,warpgroups=2,cluster=1x1,ctas=1,inflight=1,"
           "raster=grouped_m,group=8",
           "warp_specialized:tile=192x192x64,stages=3,warpgroups=3,cluster=1x1,ctas=1,inflight=1,"
           "raster=grouped_m,group=8",
           "warp_specialized:tile=128x160x64,stages=4,warpgroups=2,cluster=2x2,ctas=1,inflight=0,"
           "raster=grouped_m,group=8",
           "warp_specialized:tile=128x128x128,stages=3,warpgroups=2,cluster=1x1,ctas=1,inflight=1,"
           "raster=chunked,group=1",
           "pipelined:tile=64x64x64,stages=4,warpgroups=1,cluster=1x1,ctas=2,inflight=1,"
           "raster=grouped_m,group=8",
           "pipelined:tile=128x128x64,stages=3,warpgroups=2,cluster=1x1,ctas=2,inflight=1,"
           "raster=grouped_m,group=8",
           "persistent:tile=128x96x64,stages=4,warpgroups=1,cluster=1x1,ctas=2,inflight=0,"
           "raster=grouped_n,group=4",
       }) {
    check_usable(parse_kernel_config(text), ElementType::kFp16, Layout::kTn);
  }
}

TEST_CASE("What the model calls legal, the compiler takes") {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  const auto seed =
      static_cast<unsigned>(std::chrono::duration_cast<std::chrono::days>(since_epoch).count());
  std::printf("legal configurations are drawn with seed %u\n", seed);
  std::mt19937 random(seed);
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  for (const Layout layout : {Layout::kTn, Layout::kNn}) {
    const GemmProblem problem{{8192, 8192, 8192}, ElementType::kFp16, layout};
    const std::vector<KernelConfig> legal = enumerate_candidates(gpu, problem, {}).legal;
    REQUIRE(!legal.empty());
    for (int i = 0; i < kDrawnPerLayout; ++i) {
      check_usable(legal[random() % legal.size()], problem.dtype, layout);
    }
  }
}

TEST_CASE("A GEMM kernel read from the cache is the one that was compiled") {
  const TemporaryFolder folder;
  CubinCache cache(folder / "cache");
  const auto get = [&] { return compile_gemm(flagship(), ElementType::kFp16, Layout::kTn, cache); };
  const CompiledKernel compiled = get();
  CHECK((get().cubin == compiled.cubin));
  CHECK(cache.hits() == 1);
}

}  // namespace tilecast
