// Compiles the tcgen05 kernels to cubins for sm_100a, without a GPU, and checks the resources that
// they need: registers, shared memory, tensor memory. A fixed list covers every variant of every
// schedule. More are drawn from the candidates of a GB200 with a seed that changes daily. No GPU
// has run any of them.
#include <random>
#include <set>
#include <vector>

#include "kernels/jit/compile_ahead.h"
#include "kernels/jit/device.h"
#include "kernels/jit/gemm_source.h"
#include "kernels/registry.h"
#include "model/base/error.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/menu/candidates.h"
#include "model/gemm/menu/legality.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "tests/seed.h"

namespace tilecast {
namespace {

constexpr i32 kRegistersPerSm = 65536;
// As occupancy.cpp assumes.
constexpr i32 kMostRegisters = 80, kMostRegistersWhereSplit = 88;
constexpr i32 kMostSharedMemory = 232448;

const GemmProblem kProblem{{8192, 8192, 8192}, ElementType::kFp16, Layout::kTn};
const GemmProblem kFewTiles{{256, 512, 16384}, ElementType::kFp16, Layout::kTn};

struct Kernel {
  KernelConfig config;
  ElementType dtype;
};

/// Checks that each kernel is usable, with the resources that the model assumes.
void check_resources(const std::vector<Kernel>& kernels) {
  std::vector<KernelSource> sources;
  for (const auto& [config, dtype] : kernels) {
    sources.push_back(gemm_source(config, {dtype, Layout::kTn}));
    CHECK(sources.back().architecture == "sm_100a");
  }
  CubinCache none{std::filesystem::path()};
  compile_each(sources, none, [&](const CompileOutcome& outcome) {
    const KernelConfig& config = kernels[outcome.index].config;
    INFO(to_text(config));
    CHECK(outcome.error == "");
    CHECK(outcome.rejection == "");
    CHECK(outcome.registers <=
          (splits_k(config.schedule) ? kMostRegistersWhereSplit : kMostRegisters));
    const i32 threads = threads_per_cta(config.schedule, config.tiling);
    CHECK(outcome.registers * threads * config.ctas_per_sm <= kRegistersPerSm);
    CHECK(smem_layout(config.schedule, config.tiling).total_bytes <= kMostSharedMemory);
  });
}

std::vector<Kernel> fixed_kernels() {
  std::vector<Kernel> kernels;
  for (const char* text : {
           "t5pi 128x256x64 s4 w1x1 c1x1 o1 i0 e0 m64",
           "t5pi 128x256x128 s2 w1x2 c1x1 o1 i0 e0 m64",
           "t5pi 128x128x64 s3 w1x1 c2x1 o2 i1 e1 m8",
           "t5pe 128x256x64 s4 w1x1 c1x1 o1 i1 e2 m64k",
           "t5pe 128x256x64 s5 w1x2 c2x1 o1 i2 e1 m8",
           "t5po 128x256x64 s4 w1x1 c1x1 o1 i0 e0 m8",
           "t5po 128x192x64 s5 w1x1 c2x1 o1 i1 e3 hk",
           "t5ws1 128x256x64 s4 w1x1 c1x1 o1 i1 e0 m8 a1",
           "t5ws 128x256x64 s4 w1x1 c1x1 o1 i1 e2 m8 a2",
           "t5ws 128x256x64 s6 w1x1 c2x1 o1 i1 e2 m8 a2",
           "t5wst 128x256x64 s6 w1x1 c2x1 o1 i1 e2 m8 a2",
           "t5wst 128x128x64 s4 w1x2 c1x1 o1 i0 e1 n4 a2",
           "t5sp 128x64x64 s8 w1x1 c1x1 o1 i1 e1 m8 k4a",
           "t5sp 128x256x64 s5 w1x2 c2x1 o1 i1 e2 n8 k2t",
       }) {
    for (const ElementType dtype : {ElementType::kFp16, ElementType::kBf16}) {
      kernels.push_back({gemm_config(text), dtype});
    }
  }
  return kernels;
}

}  // namespace

TEST_CASE("Every tcgen05 schedule compiles in each of its forms, within registers and memory") {
  const GpuSpec gpu = load_gpu("gb200", false).spec;
  Turns turns("tcgen05 kernels that are compiled", 4);
  std::vector<Kernel> compiled;
  std::set<Schedule> schedules;
  for (const Kernel& kernel : fixed_kernels()) {
    INFO(to_text(kernel.config));
    CHECK(to_text(check_legal(gpu, kProblem, kernel.config)) == "none");
    schedules.insert(kernel.config.schedule);
    if (turns.due()) {
      compiled.push_back(kernel);
    }
  }
  CHECK(schedules.size() == std::size(kTcgen05Schedules));
  check_resources(compiled);
}

TEST_CASE("Randomly drawn GB200 candidates compile within registers and memory") {
  constexpr int kOfEach = 2;
  const GpuSpec gpu = load_gpu("gb200", false).spec;
  std::mt19937 random(daily_seed("tcgen05 candidates that are compiled"));
  std::vector<Kernel> drawn;
  for (const Schedule schedule : kTcgen05Schedules) {
    const GemmProblem& problem = splits_k(schedule) ? kFewTiles : kProblem;
    const auto legal = enumerate_candidates(gpu, problem, {schedule}).legal;
    REQUIRE(!legal.empty());
    for (int i = 0; i < kOfEach; ++i) {
      drawn.push_back({legal[random() % legal.size()],
                       random() % 2 == 0 ? ElementType::kFp16 : ElementType::kBf16});
    }
  }
  check_resources(drawn);
}

TEST_CASE("Features that tcgen05 kernels lack are refused by name") {
  const KernelConfig config = fixed_kernels()[0].config;
  CHECK_THROWS_AS(gemm_source(config, {ElementType::kFp16, Layout::kNn}), ConfigError);
  CHECK_THROWS_AS(gemm_source(config, {ElementType::kFp32, Layout::kTn}), ConfigError);
}

TEST_CASE("A GPU that cannot run a kernel is reported in one line") {
  const Device hopper{.ordinal = 0, .name = "NVIDIA H200", .sm_count = 132, .capability = 90};
  const Device blackwell{.ordinal = 1, .name = "NVIDIA B200", .sm_count = 148, .capability = 100};
  CHECK(why_not_runnable(hopper, "sm_90a") == "");
  CHECK(why_not_runnable(blackwell, "sm_100a") == "");
  CHECK(why_not_runnable(hopper, "sm_100a") ==
        "GPU 0 (NVIDIA H200) has compute capability 9.0: the kernel requires 10.0 (Blackwell)");
  CHECK(why_not_runnable(blackwell, "sm_90a") ==
        "GPU 1 (NVIDIA B200) has compute capability 10.0: the kernel requires 9.0 (Hopper)");
  const Device ada{.ordinal = 0, .name = "NVIDIA L40S", .sm_count = 142, .capability = 89};
  CHECK(mma_sync_architecture(ada) == "sm_89");
  CHECK(why_not_runnable(ada, "sm_89") == "");
  CHECK(mma_sync_architecture(hopper) == "sm_90a");
  const Device turing{.ordinal = 0, .name = "T4", .sm_count = 40, .capability = 75};
  CHECK(why_not_runnable(turing, mma_sync_architecture(turing)) ==
        "GPU 0 (T4) has compute capability 7.5: the kernel requires 8.0");
}

}  // namespace tilecast
