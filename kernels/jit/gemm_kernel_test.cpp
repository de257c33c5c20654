// Compiles real GEMM kernels to cubins, without a GPU. A fixed list covers important
// configurations. More are drawn from the candidates with a seed that changes daily, so that the
// whole search space is covered over time. A rejection of one of those means that the model's
// legality or its table of rejections is wrong.
#include "kernels/jit/gemm_kernel.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/gemm/gemm_args.h"
#include "kernels/jit/compile_ahead.h"
#include "model/base/error.h"
#include "model/gemm/menu/candidates.h"
#include "model/gemm/problem/problem_text.h"
#include "model/gemm/rules/kernel_rules.h"
#include "model/ops/any_op.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "tests/h200.h"
#include "tests/seed.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

constexpr i32 kRegistersPerSm = 65536;  // register file of a Hopper SM

KernelConfig flagship() { return gemm_config("ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8"); }

struct Kernel {
  KernelConfig config;
  ElementType dtype;
  Layout layout;
};

struct CompileTimes {
  Seconds total, longest;  // CPU time of the compiling threads, independent of load
};

/// Compiles the kernels on all cores. Each must be usable, and as many CTAs as it requests must fit
/// on an SM.
CompileTimes check_usable(const std::vector<Kernel>& kernels, CubinCache& cache) {
  std::vector<KernelSource> sources;
  for (const auto& [config, dtype, layout] : kernels) {
    sources.push_back(gemm_source(config, {dtype, layout}));
  }
  std::vector<CompileOutcome> outcomes;
  compile_each(sources, cache, [&](const CompileOutcome& outcome) { outcomes.push_back(outcome); });
  CompileTimes times{};
  for (const CompileOutcome& outcome : outcomes) {
    const auto& [config, dtype, layout] = kernels[outcome.index];
    INFO(to_text(config) << " " << to_text(dtype) << " " << to_text(layout));
    CHECK(outcome.error == "");
    // Some kernels that split K spill a few bytes since deferred stores were added
    // (docs/dev/known-gaps.md).
    CHECK((outcome.rejection == "" ||
           (splits_k(config.schedule) && outcome.rejection.starts_with("spills: "))));
    const i32 threads = threads_per_cta(config.schedule, config.tiling);
    CHECK(outcome.registers * threads * config.ctas_per_sm <= kRegistersPerSm);
    times.longest = std::max(times.longest, outcome.cpu_time);
    times.total = times.total + outcome.cpu_time;
  }
  return times;
}

void check_usable(const std::vector<Kernel>& kernels) {
  CubinCache none{std::filesystem::path()};
  (void)check_usable(kernels, none);
}

/// A shape for which the schedule has candidates, in both layouts.
GemmShape shape_for(Schedule schedule) {
  switch (schedule) {
    case Schedule::kSmallMma:
      return {64, 64, 64};
    case Schedule::kSplitK:
    case Schedule::kStreamK:
      return {512, 512, 65536};  // few tiles, long K
    case Schedule::kSplitKHybrid:
    case Schedule::kStreamKHybrid:
      return {3072, 3072, 4096};  // several waves, with a partial last wave for most tiles
    default:
      return {8192, 8192, 8192};
  }
}

/// One candidate of every schedule, in a random layout, for a problem that it supports.
std::vector<Kernel> drawn_candidates(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Kernel> drawn;
  for (const Schedule schedule : kWgmmaSchedules) {
    const Layout layout = kEveryLayout[random() % std::size(kEveryLayout)];
    const ElementType dtype = random() % 2 == 0 ? ElementType::kFp16 : ElementType::kBf16;
    const auto legal =
        enumerate_candidates(h200(), {shape_for(schedule), dtype, layout}, {schedule}).legal;
    REQUIRE(!legal.empty());
    drawn.push_back({legal[random() % legal.size()], dtype, layout});
  }
  return drawn;
}

}  // namespace

TEST_CASE(
    "Configurations that differ only in swizzle groups or walk share a cubin, a curve does not") {
  KernelConfig other = flagship();
  other.raster = {RasterKind::kGroupedN, 1, Walk::kChunked};
  const auto text = [](const KernelConfig& config) {
    return config_text(config, {ElementType::kFp16, Layout::kTn});
  };
  CHECK(text(other) == text(flagship()));
  other.raster.kind = RasterKind::kHilbert;
  CHECK(text(other) != text(flagship()));
  other = flagship();
  other.inflight = 0;
  CHECK(text(other) != text(flagship()));
  CHECK(config_text(flagship(), {ElementType::kBf16, Layout::kTn}) != text(flagship()));
  CHECK(config_text(flagship(), {ElementType::kFp16, Layout::kNn}) != text(flagship()));
}

TEST_CASE("The ways to split K of one tile share a cubin") {
  const std::string tile =
      "tile=64x64x64,stages=4,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,c_slots=1,producer=40,";
  const std::string order = ",raster=grouped_m,group=8";
  const TemporaryFolder folder;
  CubinCache cache(folder / "cache");
  const auto get = [&](const std::string& text) {
    return compile_gemm(gemm_config(text), {ElementType::kFp16, Layout::kTn}, cache);
  };
  const CompiledKernel first = get("split_k:" + tile + "splits=2,reduction=turnstile" + order);
  CHECK(first.usable());
  CHECK(cache.hits() == 0);
  // The other kernels: 2 schedules with equal splits and 2 with stream-K ranges, each with two
  // values of its parameter and 3 reductions.
  int others = 0;
  for (const char* reduction : {"turnstile", "atomic", "spread"}) {
    for (const char* how :
         {"split_k:splits=2", "split_k:splits=7", "split_k_hybrid:splits=2",
          "split_k_hybrid:splits=7", "stream_k:min_k_blocks=1", "stream_k:min_k_blocks=8",
          "stream_k_hybrid:min_k_blocks=1", "stream_k_hybrid:min_k_blocks=8"}) {
      const std::string_view schedule_and_number = how;
      const std::size_t colon = schedule_and_number.find(':');
      const std::string text = std::string(schedule_and_number.substr(0, colon + 1)) + tile +
                               std::string(schedule_and_number.substr(colon + 1)) +
                               ",reduction=" + reduction + order;
      INFO(text);
      CHECK((get(text).cubin == first.cubin));
      ++others;
    }
  }
  CHECK(others == 24);
  CHECK(cache.hits() == others);
}

TEST_CASE("An fp8 kernel uses its own wgmma, and its C has its own type") {
  KernelConfig config = flagship();
  config.tiling.block_k *= 2;  // in elements: the same bytes
  CubinCache none{std::filesystem::path()};
  for (const auto& [type, c] : {std::pair{ElementType::kE4m3, ElementType::kBf16},
                                {ElementType::kE5m2, ElementType::kFp16}}) {
    CHECK(compile_gemm(config, {{type, c}, Layout::kTn}, none).rejection == "");
  }
  CHECK(config_text(config, {{ElementType::kE4m3, ElementType::kBf16}, Layout::kTn}) !=
        config_text(config, {{ElementType::kE4m3, ElementType::kFp16}, Layout::kTn}));
  CHECK_THROWS_AS(gemm_source(config, {{ElementType::kE4m3, ElementType::kBf16}, Layout::kNn}),
                  ConfigError);
}

TEST_CASE("Kernels with block scales hold a K block's sums and the tile's without spills") {
  Turns turns("kernels of block scales that are compiled", 2);
  CubinCache none{std::filesystem::path()};
  const ProblemKind kind{{ElementType::kE4m3, ElementType::kBf16},
                         Layout::kTn,
                         {step<BiasN>(), step<Gelu>(), step<ScaleBlock>()}};
  for (const char* text :
       {"ws 256x128x128 s3 w2x1 c1x2 o1 i0 e2 m8", "ws 128x192x128 s4 w2x1 c2x1 o1 i0 e2 m8",
        "ws 192x128x128 s4 w3x1 c1x2 o1 i0 e2 m8", "pp 128x128x128 s5 w1x1 c1x1 o1 i0 e2 m8"}) {
    INFO(text);
    const KernelConfig config = gemm_config(text);
    CHECK((!turns.due() || compile_gemm(config, kind, none).rejection == ""));
  }
  KernelConfig other = flagship();
  other.schedule = Schedule::kPersistentOverlap;
  CHECK_THROWS_AS(gemm_source(other, kind), ConfigError);
}

TEST_CASE("Kernels with fp32 promotion hold a K block's sums and the tile's without spills") {
  Turns turns("kernels of exact sums that are compiled", 3);
  CubinCache none{std::filesystem::path()};
  const ProblemKind kind{{ElementType::kE4m3, ElementType::kBf16, Accumulate::kExact},
                         Layout::kTn,
                         {step<BiasN>(), step<Gelu>()}};
  for (const char* text :
       {"ws 128x208x128 s4 w2x1 c2x1 o1 i0 e2 m8", "pp 64x208x128 s5 w1x1 c1x1 o1 i0 e2 m8",
        "sp 128x160x128 s4 w2x1 c1x1 o1 i0 e2 m8 k2t"}) {
    INFO(text);
    const KernelConfig config = gemm_config(text);
    CHECK((!turns.due() || compile_gemm(config, kind, none).rejection == ""));
  }
}

TEST_CASE("A programmatically launched kernel is compiled separately, without spills") {
  // 2^31 multiply-adds, 2^19 more, and 2^32.
  CHECK(programmatic_launch({256, 2048, 4096}, 1) == LaunchOrder::kBesideEpilogue);
  CHECK(programmatic_launch({256, 2048, 4097}, 1) == LaunchOrder::kProgrammatic);
  CHECK(programmatic_launch({256, 2048, 4096}, 2) == LaunchOrder::kProgrammatic);
  CHECK(programmatic_launch({1 << 20, 1 << 20, 1 << 20}, 1) == LaunchOrder::kProgrammatic);
  const auto kind = [](LaunchOrder launch) {
    return ProblemKind{.types = ElementType::kFp16, .layout = Layout::kTn, .launch = launch};
  };
  Turns turns("kernels launched programmatically that are compiled", 5);
  CubinCache none{std::filesystem::path()};
  for (const char* text :
       {"ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2d m8", "pp 128x192x64 s4 w1x1 c1x1 o1 i1 e2 m16",
        "po 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m8", "sk 128x128x64 s5 w2x1 c1x1 o1 i1 e2 m8 k8+t",
        "pi 64x64x128 s7 w1x1 c1x1 o1 i0 e0 m8"}) {
    INFO(text);
    const KernelConfig config = gemm_config(text);
    if (!turns.due()) {
      continue;
    }
    std::set<std::string> cubins;
    for (const LaunchOrder launch :
         {LaunchOrder::kInTurn, LaunchOrder::kProgrammatic, LaunchOrder::kBesideEpilogue}) {
      const CompiledKernel kernel = compile_gemm(config, kind(launch), none);
      CHECK(kernel.rejection == "");
      cubins.insert(kernel.cubin);
    }
    CHECK(cubins.size() == 3);
  }
  KernelConfig blackwell = flagship();
  blackwell.schedule = Schedule::kTcgen05Persistent;
  CHECK_THROWS_AS(gemm_source(blackwell, kind(LaunchOrder::kProgrammatic)), ConfigError);
}

TEST_CASE("Kernels with mma.sync compile for every architecture that has it, without spills") {
  const char* const kConfigs[] = {
      "multistage:tile=128x128x32,stages=4,warpgroups=1x2,ctas=1,raster=grouped_m,group=8",
      "multistage:tile=256x128x64,stages=2,warpgroups=1x2,ctas=1,raster=hilbert,group=1",
      "multistage:tile=64x64x64,stages=4,warpgroups=1x1,ctas=3,raster=grouped_m,group=8",
      "multistage_split_k:tile=128x64x64,stages=3,warpgroups=1x2,ctas=1,splits=2,"
      "reduction=spread,raster=grouped_m,group=8"};
  const Layout layouts[] = {Layout::kTn, Layout::kNn, Layout::kNt, Layout::kTt};
  for (const char* architecture : {"sm_80", "sm_86", "sm_89", "sm_90", "sm_120"}) {
    for (std::size_t i = 0; i < std::size(kConfigs); ++i) {
      CAPTURE(architecture, kConfigs[i]);
      KernelSource source =
          gemm_source(parse_kernel_config(kConfigs[i]), {ElementType::kBf16, layouts[i]});
      source.architecture = architecture;
      CHECK(compile_kernel(source).rejection == "");
    }
  }
}

TEST_CASE("Unsupported kernels are refused by name") {
  CHECK_THROWS_AS(gemm_source(flagship(), {ElementType::kFp32, Layout::kTn}), ConfigError);
  KernelConfig clustered = flagship();
  clustered.schedule = Schedule::kPipelined;
  CHECK_THROWS_AS(gemm_source(clustered, {ElementType::kFp16, Layout::kTn}), ConfigError);
}

TEST_CASE("Important kernels compile without spills and keep their asynchrony") {
  std::vector<Kernel> kernels;
  Turns turns("kernels that matter and are compiled", 3);
  for (const char* text : {
           "ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8",
           "ws 128x256x64 s4 w2x1 c2x1 o1 i1 e2d m8",
           "pp 64x256x64 s4 w1x1 c2x1 o1 i1 e2 m8",
           "po 128x256x64 s3 w2x1 c1x1 o1 i1 e0 m8",
       }) {
    for (const ElementType dtype : {ElementType::kFp16, ElementType::kBf16}) {
      for (const Layout layout : kEveryLayout) {
        if (turns.due()) {
          kernels.push_back({gemm_config(text), dtype, layout});
        }
      }
    }
  }
  check_usable(kernels);
}

TEST_CASE("Tiles from small to large compile for every schedule that supports them") {
  std::vector<Kernel> kernels;
  std::set<Schedule> schedules;
  Turns turns("tiles that are compiled", 4);
  for (const char* text : {
           "sm 64x256x64 s1 w1x1 c1x1 o1 i0 e0 m1 rs in8",
           "sm 128x256x128 s1 w2x1 c1x1 o1 i0 e0 m1 ss in256",
           "bl 128x128x128 s1 w1x1 c1x1 o2 i0 e0 m8",
           "bp 128x256x64 s2 w2x1 c1x1 o1 i1 e0 h",
           "pi 64x64x64 s4 w1x1 c1x1 o2 i1 e2 m8",
           "pi 128x256x64 s4 w2x1 c1x1 o1 i2 e0 m8",
           "pi 128x128x64 s3 w2x1 c1x1 o2 i1 e2 m8",
           "pe 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m8",
           "pe 128x96x64 s4 w1x1 c1x1 o2 i0 e2 n4",
           "po 128x192x64 s3 w1x3 c1x2 o1 i1 e2 m2",
           "po 64x96x32 s6 w1x1 c1x1 o1 i2 e1 m2",
           "ws 256x128x64 s4 w2x1 c1x2 o1 i1 e2 n8",
           "ws 256x192x64 s3 w2x1 c1x1 o1 i1 e2 m8",
           "ws 192x192x64 s3 w3x1 c1x1 o1 i1 e2 m8",
           "ws 192x192x64 s3 w3x1 c2x1 o1 i1 e2d h",
           "ws 256x160x64 s3 w2x1 c1x2 o1 i1 e2d n8k",
           "ws 128x160x64 s4 w2x1 c2x2 o1 i0 e2 m8",
           "ws1 320x128x64 s3 w1x2 c1x1 o1 i1 e0 m8",
           "ws 128x128x128 s3 w2x1 c1x1 o1 i1 e2 n1k",
           "ws 128x168x64 s5 w2x1 c1x1 o1 i1 e2 m8",
           "ws 128x232x64 s4 w2x1 c1x1 o1 i1 e2d m8",
           "ws 128x160x64 s5 w2x1 c1x1 o1 i1 e2 m8 x",
           "pp 128x184x64 s4 w1x1 c1x1 o1 i1 e2 m8",
           "po 128x152x64 s4 w2x1 c1x1 o1 i1 e2 m8",
           "pp 128x128x64 s4 w1x1 c2x2 o1 i1 e2 hk",
           "sp 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8 k4s",
           "sph 64x128x64 s8 w1x1 c1x1 o1 i1 e2 n8 k3a",
           "sk 128x128x64 s6 w2x1 c1x1 o1 i1 e2 m8 k8+t",
           "skh 64x32x128 s8 w1x1 c1x1 o1 i1 e1 h k4+a",
       }) {
    const KernelConfig config = gemm_config(text);
    schedules.insert(config.schedule);
    if (turns.due()) {
      kernels.push_back({config, ElementType::kFp16, Layout::kTn});
    }
  }
  CHECK(schedules.size() == std::size(kWgmmaSchedules));
  check_usable(kernels);
}

TEST_CASE("Top picks for transformers hold every epilogue in registers") {
  std::vector<KernelSource> sources;
  int legal = 0;
  Turns turns("kernels for transformers that are compiled", 5);
  for (const char* config :
       {"pp 64x256x64 s3 w1x1 c2x1 o1 i1 e2 m8", "pp 128x128x64 s3 w1x1 c1x1 o1 i1 e2 m8",
        "ws 128x256x64 s3 w2x1 c1x1 o1 i1 e2 m8", "ws 128x256x64 s3 w2x1 c1x1 o1 i1 e2d m8"}) {
    for (const char* text : {"bf16 tn residual", "bf16 tn bias_n+gelu+residual", "bf16->fp32 tn",
                             "bf16->fp32 tn residual", "bf16 tn swiglu", "bf16 tn bias_n+geglu",
                             "bf16 tn silu+amax", "bf16->e4m3 tn gelu+amax+scale_c"}) {
      const GemmProblem problem = parse_gemm_problem(std::string("512x512x512 ") + text);
      const KernelConfig parsed = gemm_config(config);
      if (why_no_kernel(ProblemKind::of(problem), parsed).empty()) {
        ++legal;
        if (turns.due()) {
          sources.push_back(gemm_source(parsed, ProblemKind::of(problem)));
        }
      }
    }
  }
  CHECK(legal == 4 * 8 - 2);  // deferred stores do not support fp32
  CubinCache none{std::filesystem::path()};
  compile_each(sources, none, [&](const CompileOutcome& outcome) {
    INFO(outcome.index);
    CHECK(outcome.error == "");
    CHECK(outcome.rejection == "");
  });
}

TEST_CASE("Randomly drawn candidates compile in time, and a warm cache is fast") {
  constexpr Seconds kLongestCompile{3}, kWarm{5e-3};
  const std::vector<Kernel> drawn = drawn_candidates(daily_seed("candidates that are compiled"));
  CHECK(drawn.size() == std::size(kWgmmaSchedules));
  const TemporaryFolder folder;
  CubinCache cache(folder / "cache");
  const CompileTimes cold = check_usable(drawn, cache);
  const CompileTimes warm = check_usable(drawn, cache);
  CHECK(cache.hits() >= static_cast<int>(drawn.size()));
  const double count = static_cast<double>(drawn.size());
  std::printf("%zu kernels: %.2f s of CPU each, longest %.2f s; warm %.2f ms, longest %.2f ms\n",
              drawn.size(), cold.total.value / count, cold.longest.value,
              warm.total.value / count * 1e3, warm.longest.value * 1e3);
  CHECK(cold.longest <= kLongestCompile);
  CHECK(warm.total.value / count <= kWarm.value);
}

}  // namespace tilecast
