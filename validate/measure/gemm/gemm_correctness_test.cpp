// Every schedule on shapes that divide by nothing, in every layout and type, against cuBLASLt and
// fp64; the same bits in a thousand runs; and the verifier against outputs that are wrong in one
// place.

#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "kernels/jit/gemm_launch.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/config/schedule_text.h"
#include "model/gemm/menu/legality.h"
#include "model/spec/load_gpu.h"
#include "tests/gemm_check.h"
#include "tests/gpu.h"

using namespace tilecast;

namespace {

/// Configurations of every schedule with more than one tile; every layout supports them.
const std::vector<std::string> kConfigs = {
    "blocked:tile=128x128x128,warpgroups=1x1,ctas=2,c_slots=0,raster=grouped_m,group=8",
    "blocked:tile=64x128x256,warpgroups=1x2,ctas=1,c_slots=0,raster=hilbert,group=1",
    "blocked_pipelined:tile=128x128x64,warpgroups=2x1,ctas=2,c_slots=0,raster=grouped_n,group=2",
    "blocked_pipelined:tile=256x64x128,warpgroups=2x1,ctas=1,c_slots=2,raster=grouped_m,group=1",
    "pipelined:tile=128x128x64,stages=4,warpgroups=2x1,ctas=1,inflight=1,c_slots=2,"
    "raster=grouped_m,group=1",
    "pipelined:tile=64x64x64,stages=3,warpgroups=1x1,ctas=2,inflight=0,c_slots=1,"
    "raster=grouped_n,group=4",
    "pipelined:tile=128x256x64,stages=4,warpgroups=2x1,ctas=1,inflight=2,c_slots=0,"
    "raster=grouped_m,group=8",
    "pipelined:tile=64x256x32,stages=6,warpgroups=1x2,ctas=1,inflight=1,c_slots=1,"
    "raster=hilbert,group=1",
    "persistent:tile=128x128x64,stages=4,warpgroups=2x1,ctas=1,inflight=1,c_slots=2,"
    "raster=grouped_n,group=1,walk=chunked",
    "persistent:tile=64x256x128,stages=2,warpgroups=1x1,ctas=1,inflight=0,c_slots=4,"
    "raster=grouped_m,group=2,walk=strided",
    "persistent:tile=192x128x32,stages=8,warpgroups=3x1,ctas=1,inflight=2,c_slots=1,"
    "raster=hilbert,group=1,walk=strided",
    "persistent:tile=64x64x64,stages=3,warpgroups=1x1,ctas=2,inflight=1,c_slots=1,"
    "raster=hilbert,group=1,walk=chunked",
    "persistent_overlap:tile=128x256x64,stages=3,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=0,raster=grouped_m,group=8,walk=strided",
    "persistent_overlap:tile=128x128x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=2,"
    "c_slots=0,raster=grouped_n,group=4,walk=chunked",
    "persistent_overlap:tile=64x128x64,stages=4,warpgroups=1x2,cluster=1x1,ctas=2,inflight=0,"
    "c_slots=1,raster=grouped_m,group=4,walk=strided",
    "persistent_overlap:tile=128x256x64,stages=3,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=2,raster=hilbert,group=1,walk=chunked",
    "persistent_overlap:tile=128x192x64,stages=3,warpgroups=1x3,cluster=1x2,ctas=1,inflight=1,"
    "c_slots=2,raster=grouped_m,group=2,walk=strided",
    "persistent_overlap:tile=128x128x64,stages=4,warpgroups=2x1,cluster=2x2,ctas=1,inflight=1,"
    "c_slots=2,raster=hilbert,group=1,walk=strided",
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided",
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided,store=deferred",
    "warp_specialized:tile=128x128x64,stages=5,warpgroups=2x1,cluster=1x2,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_n,group=3,walk=strided",
    "warp_specialized:tile=256x128x64,stages=3,warpgroups=2x1,cluster=2x2,ctas=1,inflight=0,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_n,group=1,walk=chunked",
    "warp_specialized:tile=192x192x64,stages=3,warpgroups=3x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=2,producer=32,grid=resident,raster=grouped_m,group=2,walk=strided",
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=0,producer=40,grid=tiles,raster=grouped_m,group=8,walk=strided",
    "warp_specialized:tile=128x128x128,stages=3,warpgroups=2x1,cluster=2x1,ctas=1,inflight=2,"
    "c_slots=0,producer=40,grid=tiles,raster=hilbert,group=1,walk=strided",
    "warp_specialized:tile=64x256x64,stages=4,warpgroups=1x2,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=hilbert,group=1,walk=chunked",
    "warp_specialized:tile=320x128x64,stages=3,warpgroups=1x2,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_n,group=8,walk=strided",
    "warp_specialized:tile=64x192x32,stages=8,warpgroups=1x3,cluster=1x1,ctas=1,inflight=2,"
    "c_slots=1,producer=32,grid=tiles,raster=grouped_n,group=2,walk=strided",
    "warp_specialized:tile=128x128x64,stages=4,warpgroups=2x1,cluster=1x8,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=1,walk=strided",
    "warp_specialized:tile=128x128x64,stages=4,warpgroups=2x1,cluster=8x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_n,group=2,walk=strided",
    "warp_specialized:tile=64x128x64,stages=5,warpgroups=1x1,cluster=2x4,ctas=1,inflight=1,"
    "c_slots=1,producer=40,grid=tiles,raster=grouped_m,group=4,walk=strided",
    "ping_pong:tile=64x256x64,stages=4,cluster=1x1,ctas=1,inflight=1,c_slots=2,producer=40,"
    "raster=grouped_m,group=8,walk=strided",
    "ping_pong:tile=128x128x64,stages=4,cluster=2x1,ctas=1,inflight=1,c_slots=2,producer=40,"
    "raster=grouped_n,group=4,walk=strided",
    "ping_pong:tile=64x128x64,stages=6,cluster=1x2,ctas=1,inflight=0,c_slots=1,producer=40,"
    "raster=grouped_m,group=1,walk=chunked",
    "ping_pong:tile=64x64x32,stages=5,cluster=1x1,ctas=2,inflight=2,c_slots=1,producer=40,"
    "raster=hilbert,group=1,walk=strided",
};

/// Configurations of every schedule that splits K: each reduction, cluster, raster and number of
/// warpgroups; both layouts support them. Legal on kSplitShapes and kSplitRows.
const std::vector<std::string> kSplitConfigs = {
    "split_k:tile=128x128x64,stages=6,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,c_slots=2,"
    "producer=40,splits=3,reduction=turnstile,raster=grouped_m,group=8",
    "split_k:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,c_slots=2,"
    "producer=40,splits=2,reduction=atomic,raster=grouped_n,group=3",
    "split_k:tile=64x128x128,stages=3,warpgroups=1x2,cluster=1x1,ctas=1,inflight=0,c_slots=1,"
    "producer=40,splits=8,reduction=atomic,raster=hilbert,group=1",
    "split_k:tile=128x128x64,stages=4,warpgroups=2x1,cluster=1x2,ctas=1,inflight=1,c_slots=2,"
    "producer=40,splits=2,reduction=spread,raster=grouped_m,group=4",
    "split_k:tile=256x64x32,stages=6,warpgroups=2x1,cluster=2x2,ctas=1,inflight=1,c_slots=1,"
    "producer=40,splits=1,reduction=spread,raster=grouped_n,group=2",
    "split_k:tile=64x64x32,stages=6,warpgroups=1x1,cluster=1x1,ctas=2,inflight=2,c_slots=1,"
    "producer=40,splits=5,reduction=turnstile,raster=hilbert,group=1",
    "split_k_hybrid:tile=64x64x64,stages=4,warpgroups=1x1,cluster=1x1,ctas=2,inflight=1,"
    "c_slots=1,producer=40,splits=4,reduction=turnstile,raster=grouped_m,group=8",
    "split_k_hybrid:tile=192x128x64,stages=4,warpgroups=3x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=1,producer=32,splits=5,reduction=atomic,raster=grouped_n,group=4",
    "split_k_hybrid:tile=128x128x32,stages=8,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,splits=2,reduction=spread,raster=hilbert,group=1",
    "split_k_hybrid:tile=64x128x64,stages=6,warpgroups=1x1,cluster=2x1,ctas=1,inflight=2,"
    "c_slots=2,producer=40,splits=2,reduction=spread,raster=grouped_m,group=1",
    "stream_k:tile=128x256x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,c_slots=2,"
    "producer=40,min_k_blocks=1,reduction=turnstile,raster=grouped_m,group=8",
    "stream_k:tile=128x128x128,stages=3,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,c_slots=2,"
    "producer=40,min_k_blocks=2,reduction=atomic,raster=grouped_n,group=8",
    "stream_k:tile=192x64x32,stages=8,warpgroups=3x1,cluster=1x1,ctas=1,inflight=0,c_slots=1,"
    "producer=32,min_k_blocks=8,reduction=turnstile,raster=hilbert,group=1",
    "stream_k:tile=64x64x64,stages=4,warpgroups=1x1,cluster=4x1,ctas=2,inflight=1,c_slots=1,"
    "producer=40,min_k_blocks=3,reduction=atomic,raster=grouped_m,group=2",
    "stream_k_hybrid:tile=64x64x32,stages=5,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=1,producer=40,min_k_blocks=4,reduction=turnstile,raster=grouped_m,group=8",
    "stream_k_hybrid:tile=128x128x64,stages=5,warpgroups=2x1,cluster=1x2,ctas=1,inflight=1,"
    "c_slots=2,producer=40,min_k_blocks=2,reduction=atomic,raster=grouped_n,group=3",
    "stream_k_hybrid:tile=64x192x64,stages=5,warpgroups=1x3,cluster=1x1,ctas=1,inflight=2,"
    "c_slots=1,producer=32,min_k_blocks=1,reduction=turnstile,raster=hilbert,group=1",
};

/// A warpgroup has no whole slabs of 64 columns: not for layout nn.
const std::vector<std::string> kHalfSlabs = {
    "blocked:tile=128x80x32,warpgroups=2x1,ctas=2,c_slots=1,raster=grouped_m,group=3",
    "blocked_pipelined:tile=64x16x32,warpgroups=1x1,ctas=4,c_slots=1,raster=grouped_n,group=1",
    "pipelined:tile=192x112x64,stages=4,warpgroups=3x1,ctas=1,inflight=1,c_slots=2,"
    "raster=grouped_m,group=2",
    "persistent:tile=64x48x64,stages=7,warpgroups=1x1,ctas=2,inflight=1,c_slots=1,"
    "raster=grouped_n,group=4,walk=strided",
    "persistent_overlap:tile=64x96x64,stages=3,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=0,raster=grouped_m,group=4,walk=strided",
    "persistent_overlap:tile=128x80x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=2,"
    "c_slots=2,raster=grouped_n,group=2,walk=strided",
    "warp_specialized:tile=256x144x64,stages=3,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided",
    "warp_specialized:tile=64x32x64,stages=6,warpgroups=1x1,cluster=1x1,ctas=2,inflight=1,"
    "c_slots=1,producer=40,grid=resident,raster=grouped_n,group=1,walk=strided",
    "ping_pong:tile=64x48x32,stages=8,cluster=1x1,ctas=2,inflight=2,c_slots=1,producer=40,"
    "raster=hilbert,group=1,walk=chunked",
    "pipelined:tile=64x216x64,stages=3,warpgroups=1x1,ctas=1,inflight=1,c_slots=2,"
    "raster=grouped_m,group=2",
    "persistent_overlap:tile=128x136x64,stages=4,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=3,raster=grouped_n,group=2,walk=strided",
    "warp_specialized:tile=128x168x64,stages=5,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided",
    "ping_pong:tile=64x248x64,stages=4,cluster=1x2,ctas=1,inflight=1,c_slots=2,producer=40,"
    "raster=grouped_m,group=8,walk=strided",
};

/// Every way of small_mma: A's source, warpgroups and the width of the instruction, on one tile.
std::vector<std::string> small_configs(Layout layout) {
  std::vector<std::string> configs;
  for (const char* tile : {"64x256x64,warpgroups=1x1", "64x128x256,warpgroups=1x2",
                           "128x256x128,warpgroups=2x1", "64x64x32,warpgroups=1x1"}) {
    for (const char* a : {"shared", "registers"}) {
      for (const int n : {8, 16, 32, 64, 128, 256}) {
        const std::string text = std::string("small_mma:tile=") + tile + ",a=" + a +
                                 ",instruction_n=" + std::to_string(n);
        const KernelConfig config = parse_kernel_config(text);
        if (warpgroup_columns(config.tiling) % n == 0) {
          configs.push_back(text);
        }
      }
    }
  }
  if (layout == Layout::kTn) {
    configs.push_back("small_mma:tile=192x80x128,warpgroups=3x1,a=registers,instruction_n=16");
    configs.push_back("small_mma:tile=64x96x128,warpgroups=1x2,a=shared,instruction_n=48");
  }
  return configs;
}

std::vector<std::string> configs_of(Layout layout) {
  std::vector<std::string> configs = kConfigs;
  if (b_is_k_major(layout)) {
    configs.insert(configs.end(), kHalfSlabs.begin(), kHalfSlabs.end());
  }
  return configs;
}

/// Ragged, tiny, and with rows of C that bulk stores cannot write.
const std::vector<GemmShape> kShapes = {{128, 128, 64},  {1, 8, 8},       {17, 24, 40},
                                        {129, 264, 72},  {333, 520, 200}, {1000, 2000, 3000},
                                        {64, 4096, 128}, {512, 512, 4096}};
/// Where A is [k,m]; without a row of K any K.
const std::vector<GemmShape> kWholeRows = {{128, 128, 64}, {8, 8, 8},       {24, 24, 40},
                                           {136, 264, 72}, {328, 520, 200}, {1000, 2000, 3000}};
const std::vector<GemmShape> kAnyK = {{8, 8, 1}, {136, 264, 75}, {328, 520, 197}};
const std::vector<GemmShape> kUnalignedRows = {
    {1, 1, 8}, {100, 100, 104}, {257, 129, 64}, {410, 1030, 1032}};
/// From 3 K blocks of 128 to 129 of 32; from one tile to more than four waves of the smallest. The
/// last leaves every hybrid whole tiles.
const std::vector<GemmShape> kSplitShapes = {
    {1, 8, 4104}, {129, 264, 1032}, {333, 520, 2056}, {600, 1000, 1544}, {1100, 4104, 1032}};
const std::vector<GemmShape> kSplitRows = {{100, 100, 4104}, {257, 129, 2056}, {410, 1030, 1032}};
/// Within the smallest tile of small_configs along M and N, and one K block of the shortest.
const std::vector<GemmShape> kOneTile = {{64, 64, 32}, {1, 8, 8}, {37, 40, 24}};

/// The pairs of shape and configuration that were checked; those that `applies` is false of are
/// not.
int check_all(
    const std::vector<std::string>& configs, const std::vector<GemmShape>& shapes,
    ElementType dtype, Layout layout,
    const std::function<bool(const GemmProblem&, const KernelConfig&)>& applies =
        [](const GemmProblem&, const KernelConfig&) { return true; }) {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  compile_all(bench, configs, dtype, layout);
  int checked = 0;
  for (const GemmShape& shape : shapes) {
    const GemmProblem problem{shape, dtype, layout};
    bench.prepare(problem, Inputs::kNormal);
    const Verdict cublaslt = bench.check_cublaslt();
    for (const std::string& text : configs) {
      const KernelConfig config = parse_kernel_config(text);
      if (applies(problem, config)) {
        check_gemm(bench, config, &cublaslt);
        ++checked;
      }
    }
  }
  return checked;
}

/// How many that is, where every configuration applies to every shape.
int each_of(const std::vector<std::string>& configs, const std::vector<GemmShape>& shapes) {
  return static_cast<int>(configs.size() * shapes.size());
}

/// As check_all, where the H200 takes the configuration for the shape.
int check_legal_ones(const std::vector<std::string>& configs, const std::vector<GemmShape>& shapes,
                     ElementType dtype, Layout layout) {
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  return check_all(configs, shapes, dtype, layout,
                   [&](const GemmProblem& problem, const KernelConfig& config) {
                     return check_legal(gpu, problem, config) == Refusal::kNone;
                   });
}

/// How many of `runs` runs have other bits than the first.
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

/// cuBLASLt's result, then `spoil` on the output.
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

TEST_CASE("The tests' configurations are legal on the H200 and cover every schedule") {
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  std::set<Schedule> schedules;
  for (const Layout layout : kEveryLayout) {
    for (const std::string& text : configs_of(layout)) {
      INFO(text);
      const KernelConfig config = parse_kernel_config(text);
      CHECK(check_legal(gpu, {kShapes[0], ElementType::kFp16, layout}, config) == Refusal::kNone);
      schedules.insert(config.schedule);
    }
  }
  for (const Layout layout : {Layout::kTn, Layout::kNn}) {
    for (const std::string& text : small_configs(layout)) {
      INFO(text);
      CHECK(check_legal(gpu, {kOneTile[0], ElementType::kFp16, layout},
                        parse_kernel_config(text)) == Refusal::kNone);
      schedules.insert(Schedule::kSmallMma);
    }
  }
  for (const Layout layout : {Layout::kTn, Layout::kNn}) {
    for (const std::string& text : kSplitConfigs) {
      INFO(text);
      const KernelConfig config = parse_kernel_config(text);
      CHECK(check_legal(gpu, {kSplitShapes[1], ElementType::kFp16, layout}, config) ==
            Refusal::kNone);
      schedules.insert(config.schedule);
    }
  }
  CHECK(schedules.size() == std::size(kWgmmaSchedules));
}

TEST_CASE("Every schedule computes fp16 tn on ragged and tiny shapes", "[gpu]") {
  CHECK(check_all(configs_of(Layout::kTn), kShapes, ElementType::kFp16, Layout::kTn) ==
        each_of(configs_of(Layout::kTn), kShapes));
}

TEST_CASE("Every schedule computes bf16 nn on ragged and tiny shapes", "[gpu]") {
  CHECK(check_all(configs_of(Layout::kNn), kShapes, ElementType::kBf16, Layout::kNn) ==
        each_of(configs_of(Layout::kNn), kShapes));
}

TEST_CASE("Every schedule computes bf16 nt and fp16 tt on ragged and tiny shapes", "[gpu]") {
  CHECK(check_all(configs_of(Layout::kNt), kWholeRows, ElementType::kBf16, Layout::kNt) ==
        each_of(configs_of(Layout::kNt), kWholeRows));
  CHECK(check_all(configs_of(Layout::kNt), kAnyK, ElementType::kFp16, Layout::kNt) ==
        each_of(configs_of(Layout::kNt), kAnyK));
  CHECK(check_all(configs_of(Layout::kTt), kWholeRows, ElementType::kFp16, Layout::kTt) ==
        each_of(configs_of(Layout::kTt), kWholeRows));
}

TEST_CASE("Every schedule writes C by plain stores if N is not a multiple of 8", "[gpu]") {
  CHECK(check_all(configs_of(Layout::kTn), kUnalignedRows, ElementType::kFp16, Layout::kTn) ==
        each_of(configs_of(Layout::kTn), kUnalignedRows));
}

TEST_CASE("Tiles shared along K are right on ragged shapes and if N is not a multiple of 8",
          "[gpu]") {
  // 17 configurations, 5 shapes: the hybrid of spread pairs of CTAs does not fit the fourth, two of
  // split_k's spread ones not the last, where more parts wait for each other than fit the GPU.
  constexpr int kOnAll = 17 * 5 - 3;
  CHECK(check_legal_ones(kSplitConfigs, kSplitShapes, ElementType::kFp16, Layout::kTn) >= kOnAll);
  CHECK(check_legal_ones(kSplitConfigs, kSplitShapes, ElementType::kBf16, Layout::kNn) >= kOnAll);
  // 3 shapes, the same hybrid not on the last
  CHECK(check_legal_ones(kSplitConfigs, kSplitRows, ElementType::kFp16, Layout::kTn) >= 17 * 3 - 1);
}

TEST_CASE("small_mma computes one tile with every instruction, from registers and shared memory",
          "[gpu]") {
  // 3 shapes; widths 8 to 256 for two of the tiles, to 64 for the other two, each from two sources:
  // 2 * (6 + 6 + 4 + 4); two more for tn
  CHECK(check_all(small_configs(Layout::kTn), kOneTile, ElementType::kFp16, Layout::kTn) == 126);
  CHECK(check_all(small_configs(Layout::kNn), kOneTile, ElementType::kBf16, Layout::kNn) == 120);
}

TEST_CASE("Workers with many tiles keep their rings and turns consistent", "[gpu]") {
  gpu_or_skip();
  std::vector<std::string> looping;
  for (const std::string& text : kConfigs) {
    if (parse_kernel_config(text).grid == Grid::kResident) {
      looping.push_back(text);
    }
  }
  REQUIRE(looping.size() >= 20);
  // From less than a tile per worker to 17; of 1, 4, 7 and 17 K blocks of 64, so that tiles end
  // anywhere in the ring.
  for (const i64 k : {64, 256, 448, 1088}) {
    const std::vector<GemmShape> shapes = {{640, 1416, k}, {4100, 4104, k}};
    CHECK(check_all(looping, shapes, ElementType::kFp16, Layout::kTn) ==
          static_cast<int>(2 * looping.size()));
  }
}

TEST_CASE("A thousand runs of each deterministic schedule give the same bits", "[gpu]") {
  GpuTestBench& bench = GpuTestBench::get(gpu_or_skip());
  constexpr int kRuns = 1000;
  std::vector<std::string> of_each;  // the first of kConfigs
  std::set<Schedule> seen;
  for (const std::string& text : kConfigs) {
    if (seen.insert(parse_kernel_config(text).schedule).second) {
      of_each.push_back(text);
    }
  }
  REQUIRE(of_each.size() == 7);  // 8 that do not split K, one of them small_mma
  of_each.push_back(
      "persistent_overlap:tile=128x256x64,stages=3,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
      "c_slots=2,raster=hilbert,group=1,walk=chunked");
  of_each.push_back(
      "ping_pong:tile=128x128x64,stages=4,cluster=2x1,ctas=1,inflight=1,c_slots=2,producer=40,"
      "raster=grouped_n,group=4,walk=strided");
  compile_all(bench, of_each, ElementType::kFp16, Layout::kTn);
  bench.prepare({{2100, 2056, 520}, ElementType::kFp16, Layout::kTn}, Inputs::kNormal);
  for (const std::string& text : of_each) {
    INFO(text);
    CHECK(runs_that_differ(bench, parse_kernel_config(text), kRuns) == 0);
  }
  // Deterministic reductions of the schedules that split K. `atomic` adds partial sums in any
  // order, and so rounds differently from run to run.
  const struct {
    const char* text;
    GemmShape shape;
  } shared_tiles[] = {
      // 17 * 25 tiles of 33 K blocks, cut in a row; then 161 of them cut, 264 whole
      {"stream_k:tile=64x64x64,stages=6,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,c_slots=1,"
       "producer=40,min_k_blocks=4,reduction=turnstile,raster=grouped_m,group=8",
       {1032, 1544, 2056}},
      {"stream_k_hybrid:tile=64x64x64,stages=6,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,"
       "c_slots=1,producer=40,min_k_blocks=2,reduction=turnstile,raster=grouped_n,group=4",
       {1032, 1544, 2056}},
      // 25 tiles in 5 parts that wait for each other; 132 fit
      {"split_k:tile=128x128x64,stages=6,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,c_slots=2,"
       "producer=40,splits=5,reduction=spread,raster=grouped_m,group=8",
       {520, 520, 4104}},
  };
  for (const auto& [text, shape] : shared_tiles) {
    INFO(text);
    compile_all(bench, {text}, ElementType::kFp16, Layout::kTn);
    bench.prepare({shape, ElementType::kFp16, Layout::kTn}, Inputs::kNormal);
    CHECK(runs_that_differ(bench, parse_kernel_config(text), kRuns) == 0);
  }
  bench.prepare({{61, 256, 64}, ElementType::kFp16, Layout::kTn}, Inputs::kNormal);
  CHECK(
      runs_that_differ(bench,
                       parse_kernel_config(
                           "small_mma:tile=64x256x64,warpgroups=1x1,a=registers,instruction_n=32"),
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

TEST_CASE("cuBLASLt's own result passes the check", "[gpu]") {
  CHECK(spoiled([](char*, cudaStream_t) {}).fault == "");
}

TEST_CASE("One unwritten element is found", "[gpu]") {
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

TEST_CASE("A write one element before or after the output is found", "[gpu]") {
  CHECK_FALSE(spoiled([](char* c, cudaStream_t stream) {
                TILECAST_CUDA(cudaMemsetAsync(c - 2, 0, 2, stream));
              }).right());
  CHECK_FALSE(spoiled([](char* c, cudaStream_t stream) {
                TILECAST_CUDA(cudaMemsetAsync(c + 2 * 200 * 120, 0, 2, stream));
              }).right());
}
