// Every schedule on shapes that divide by nothing, in every layout and type, against cuBLASLt and
// fp64; the same bits in a thousand runs; and the verifier on outputs with one wrong element.

#include <functional>
#include <iterator>
#include <set>
#include <string>
#include <vector>

#include "kernels/jit/gemm_launch.h"
#include "model/gemm/config/schedule_text.h"
#include "model/gemm/menu/legality.h"
#include "model/spec/load_gpu.h"
#include "tests/gemm_check.h"
#include "tests/gemm_config.h"
#include "tests/gpu.h"

using namespace tilecast;

namespace {

/// Configurations of every schedule with more than one tile; every layout supports them.
const std::vector<std::string> kConfigs = {
    "bl 128x128x128 s1 w1x1 c1x1 o2 i0 e0 m8", "bl 64x128x256 s1 w1x2 c1x1 o1 i0 e0 h",
    "bp 128x128x64 s2 w2x1 c1x1 o2 i1 e0 n2",  "bp 256x64x128 s2 w2x1 c1x1 o1 i1 e2 m1",
    "pi 128x128x64 s4 w2x1 c1x1 o1 i1 e2 m1",  "pi 64x64x64 s3 w1x1 c1x1 o2 i0 e1 n4",
    "pi 128x256x64 s4 w2x1 c1x1 o1 i2 e0 m8",  "pi 64x256x32 s6 w1x2 c1x1 o1 i1 e1 h",
    "pe 128x128x64 s4 w2x1 c1x1 o1 i1 e2 n1k", "pe 64x256x128 s2 w1x1 c1x1 o1 i0 e4 m2",
    "pe 192x128x32 s8 w3x1 c1x1 o1 i2 e1 h",   "pe 64x64x64 s3 w1x1 c1x1 o2 i1 e1 hk",
    "po 128x256x64 s3 w2x1 c1x1 o1 i1 e0 m8",  "po 128x128x64 s4 w2x1 c1x1 o1 i2 e0 n4k",
    "po 64x128x64 s4 w1x2 c1x1 o2 i0 e1 m4",   "po 128x256x64 s3 w2x1 c2x1 o1 i1 e2 hk",
    "po 128x192x64 s3 w1x3 c1x2 o1 i1 e2 m2",  "po 128x128x64 s4 w2x1 c2x2 o1 i1 e2 h",
    "ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8",  "ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2d m8",
    "ws 128x128x64 s5 w2x1 c1x2 o1 i1 e2 n3",  "ws 256x128x64 s3 w2x1 c2x2 o1 i0 e2 n1k",
    "ws 192x192x64 s3 w3x1 c1x1 o1 i1 e2 m2",  "ws1 128x256x64 s4 w2x1 c1x1 o1 i1 e0 m8",
    "ws1 128x128x128 s3 w2x1 c2x1 o1 i2 e0 h", "ws 64x256x64 s4 w1x2 c1x1 o1 i1 e2 hk",
    "ws 320x128x64 s3 w1x2 c2x1 o1 i1 e2 n8",  "ws1 64x192x32 s8 w1x3 c1x1 o1 i2 e1 n2",
    "ws 128x128x64 s4 w2x1 c1x8 o1 i1 e2 m1",  "ws 128x128x64 s4 w2x1 c8x1 o1 i1 e2 n2",
    "ws1 64x128x64 s5 w1x1 c2x4 o1 i1 e1 m4",  "pp 64x256x64 s4 w1x1 c1x1 o1 i1 e2 m8",
    "pp 128x128x64 s4 w1x1 c2x1 o1 i1 e2 n4",  "pp 64x128x64 s6 w1x1 c1x2 o1 i0 e1 m1k",
    "pp 64x64x32 s5 w1x1 c1x1 o2 i2 e1 h",
};

/// Configurations of every schedule that splits K: each reduction, cluster, raster and number of
/// warpgroups; both layouts support them. Legal on kSplitShapes and kSplitRows.
const std::vector<std::string> kSplitConfigs = {
    "sp 128x128x64 s6 w2x1 c1x1 o1 i1 e2 m8 k3t",  "sp 128x256x64 s4 w2x1 c2x1 o1 i1 e2 n3 k2a",
    "sp 64x128x128 s3 w1x2 c1x1 o1 i0 e1 h k8a",   "sp 128x128x64 s4 w2x1 c1x2 o1 i1 e2 m4 k2s",
    "sp 256x64x32 s6 w2x1 c2x2 o1 i1 e1 n2 k1s",   "sp 64x64x32 s6 w1x1 c1x1 o2 i2 e1 h k5t",
    "sph 64x64x64 s4 w1x1 c1x1 o2 i1 e1 m8 k4t",   "sph 192x128x64 s4 w3x1 c1x1 o1 i1 e1 n4 k5a",
    "sph 128x128x32 s8 w2x1 c1x1 o1 i1 e2 h k2s",  "sph 64x128x64 s6 w1x1 c2x1 o1 i2 e2 m1 k2s",
    "sk 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m8 k1+t", "sk 128x128x128 s3 w2x1 c2x1 o1 i1 e2 n8 k2+a",
    "sk 192x64x32 s8 w3x1 c1x1 o1 i0 e1 h k8+t",   "sk 64x64x64 s4 w1x1 c4x1 o2 i1 e1 m2 k3+a",
    "skh 64x64x32 s5 w1x1 c1x1 o1 i1 e1 m8 k4+t",  "skh 128x128x64 s5 w2x1 c1x2 o1 i1 e2 n3 k2+a",
    "skh 64x192x64 s5 w1x3 c1x1 o1 i2 e1 h k1+t",
};

/// Configurations whose warpgroups do not own whole slabs of 64 columns: excluded for layout nn.
const std::vector<std::string> kHalfSlabs = {
    "bl 128x80x32 s1 w2x1 c1x1 o2 i0 e1 m3",  "bp 64x16x32 s2 w1x1 c1x1 o4 i1 e1 n1",
    "pi 192x112x64 s4 w3x1 c1x1 o1 i1 e2 m2", "pe 64x48x64 s7 w1x1 c1x1 o2 i1 e1 n4",
    "po 64x96x64 s3 w1x1 c1x1 o1 i1 e0 m4",   "po 128x80x64 s4 w2x1 c2x1 o1 i2 e2 n2",
    "ws 256x144x64 s3 w2x1 c1x1 o1 i1 e2 m8", "ws 64x32x64 s6 w1x1 c1x1 o2 i1 e1 n1",
    "pp 64x48x32 s8 w1x1 c1x1 o2 i2 e1 hk",   "pi 64x216x64 s3 w1x1 c1x1 o1 i1 e2 m2",
    "po 128x136x64 s4 w2x1 c1x1 o1 i1 e3 n2", "ws 128x168x64 s5 w2x1 c1x1 o1 i1 e2 m8",
    "pp 64x248x64 s4 w1x1 c1x2 o1 i1 e2 m8",
};

/// All variants of small_mma: A's source, warpgroups and the width of the instruction, on one tile.
std::vector<std::string> small_configs(Layout layout) {
  std::vector<std::string> configs;
  for (const char* tile : {"64x256x64,warpgroups=1x1", "64x128x256,warpgroups=1x2",
                           "128x256x128,warpgroups=2x1", "64x64x32,warpgroups=1x1"}) {
    for (const char* a : {"shared", "registers"}) {
      for (const int n : {8, 16, 32, 64, 128, 256}) {
        const std::string text = std::string("small_mma:tile=") + tile + ",a=" + a +
                                 ",instruction_n=" + std::to_string(n);
        const KernelConfig config = gemm_config(text);
        if (warpgroup_columns(config.tiling) % n == 0) {
          configs.push_back(text);
        }
      }
    }
  }
  if (layout == Layout::kTn) {
    configs.push_back("sm 192x80x128 s1 w3x1 c1x1 o1 i0 e0 m1 rs in16");
    configs.push_back("sm 64x96x128 s1 w1x2 c1x1 o1 i0 e0 m1 ss in48");
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

/// Ragged and tiny shapes, and shapes with rows of C that bulk stores cannot write.
const std::vector<GemmShape> kShapes = {{128, 128, 64},  {1, 8, 8},       {17, 24, 40},
                                        {129, 264, 72},  {333, 520, 200}, {1000, 2000, 3000},
                                        {64, 4096, 128}, {512, 512, 4096}};
/// Shapes for A as [k,m], which also has whole rows when K is odd.
const std::vector<GemmShape> kWholeRows = {{128, 128, 64}, {8, 8, 8},       {24, 24, 40},
                                           {136, 264, 72}, {328, 520, 200}, {1000, 2000, 3000}};
const std::vector<GemmShape> kAnyK = {{8, 8, 1}, {136, 264, 75}, {328, 520, 197}};
const std::vector<GemmShape> kUnalignedRows = {
    {1, 1, 8}, {100, 100, 104}, {257, 129, 64}, {410, 1030, 1032}};
/// From 3 K blocks of 128 to 129 of 32; from one tile to more than four waves of the smallest tile.
/// The last shape leaves whole tiles to every hybrid.
const std::vector<GemmShape> kSplitShapes = {
    {1, 8, 4104}, {129, 264, 1032}, {333, 520, 2056}, {600, 1000, 1544}, {1100, 4104, 1032}};
const std::vector<GemmShape> kSplitRows = {{100, 100, 4104}, {257, 129, 2056}, {410, 1030, 1032}};
/// Within the smallest tile of small_configs along M and N, and one K block of the shortest.
const std::vector<GemmShape> kOneTile = {{64, 64, 32}, {1, 8, 8}, {37, 40, 24}};

/// Checks all pairs of shape and configuration for which `applies` returns true, and returns their
/// number.
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
      const KernelConfig config = gemm_config(text);
      if (applies(problem, config)) {
        check_gemm(bench, config, &cublaslt);
        ++checked;
      }
    }
  }
  return checked;
}

/// Number of pairs if every configuration applies to every shape.
int each_of(const std::vector<std::string>& configs, const std::vector<GemmShape>& shapes) {
  return static_cast<int>(configs.size() * shapes.size());
}

/// Calls check_all for the pairs that are legal on the H200.
int check_legal_ones(const std::vector<std::string>& configs, const std::vector<GemmShape>& shapes,
                     ElementType dtype, Layout layout) {
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  return check_all(configs, shapes, dtype, layout,
                   [&](const GemmProblem& problem, const KernelConfig& config) {
                     return check_legal(gpu, problem, config) == Refusal::kNone;
                   });
}

/// Returns how many of `runs` runs have other bits than the first.
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

/// Verdict on cuBLASLt's result after `spoil` has changed the output.
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
      const KernelConfig config = gemm_config(text);
      CHECK(check_legal(gpu, {kShapes[0], ElementType::kFp16, layout}, config) == Refusal::kNone);
      schedules.insert(config.schedule);
    }
  }
  for (const Layout layout : {Layout::kTn, Layout::kNn}) {
    for (const std::string& text : small_configs(layout)) {
      INFO(text);
      CHECK(check_legal(gpu, {kOneTile[0], ElementType::kFp16, layout}, gemm_config(text)) ==
            Refusal::kNone);
      schedules.insert(Schedule::kSmallMma);
    }
  }
  for (const Layout layout : {Layout::kTn, Layout::kNn}) {
    for (const std::string& text : kSplitConfigs) {
      INFO(text);
      const KernelConfig config = gemm_config(text);
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
  // 17 configurations, 5 shapes: the hybrid of spread pairs of CTAs does not fit the fourth shape,
  // and two of split_k's spread configurations do not fit the last, where more parts wait for each
  // other than fit the GPU.
  constexpr int kOnAll = 17 * 5 - 3;
  CHECK(check_legal_ones(kSplitConfigs, kSplitShapes, ElementType::kFp16, Layout::kTn) >= kOnAll);
  CHECK(check_legal_ones(kSplitConfigs, kSplitShapes, ElementType::kBf16, Layout::kNn) >= kOnAll);
  // 3 shapes; the same hybrid does not fit the last one
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
    if (gemm_config(text).grid == Grid::kResident) {
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
  std::vector<std::string> of_each;  // for each schedule, the first of kConfigs
  std::set<Schedule> seen;
  for (const std::string& text : kConfigs) {
    if (seen.insert(gemm_config(text).schedule).second) {
      of_each.push_back(text);
    }
  }
  REQUIRE(of_each.size() == 7);  // 8 that do not split K, one of them small_mma
  of_each.push_back("po 128x256x64 s3 w2x1 c2x1 o1 i1 e2 hk");
  of_each.push_back("pp 128x128x64 s4 w1x1 c2x1 o1 i1 e2 n4");
  compile_all(bench, of_each, ElementType::kFp16, Layout::kTn);
  bench.prepare({{2100, 2056, 520}, ElementType::kFp16, Layout::kTn}, Inputs::kNormal);
  for (const std::string& text : of_each) {
    INFO(text);
    CHECK(runs_that_differ(bench, gemm_config(text), kRuns) == 0);
  }
  // Deterministic reductions of the schedules that split K. `atomic` adds partial sums in any order
  // and therefore rounds differently from run to run.
  const struct {
    const char* text;
    GemmShape shape;
  } shared_tiles[] = {
      // 17 x 25 tiles of 33 K blocks, cut one after another; then 161 tiles cut and 264 whole
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
    CHECK(verdict.fault.find(fault) != std::string::npos);
  }
}
