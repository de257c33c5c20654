// Compiles the instrumented build of every schedule, without a GPU.
#include "kernels/jit/timeline_kernel.h"

#include <set>
#include <string>
#include <vector>

#include "kernels/jit/compile_ahead.h"
#include "kernels/jit/gemm_kernel.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"
#include "tests/seed.h"

namespace tilecast {
namespace {

constexpr std::string_view kVariable = "tilecast_timeline";

KernelSource instrumented(const KernelConfig& config) {
  return gemm_source(config, {ElementType::kFp16, Layout::kTn}, SumScale::kNone, Build::kTimeline);
}

/// Includes some kernels with few spare registers.
const std::vector<std::string> kConfigs = {
    "sm 64x256x64 s1 w1x1 c1x1 o1 i0 e0 m1 rs in8", "bl 128x128x128 s1 w1x1 c1x1 o2 i0 e0 m8",
    "bp 128x256x64 s2 w2x1 c1x1 o1 i1 e0 h",        "pi 128x256x64 s4 w2x1 c1x1 o1 i2 e0 m8",
    "pe 128x256x64 s4 w2x1 c1x1 o1 i1 e2 m8",       "pe 128x96x64 s4 w1x1 c1x1 o2 i0 e2 n4",
    "po 128x256x64 s3 w2x1 c1x1 o1 i1 e0 m8",       "ws 256x192x64 s3 w2x1 c1x1 o1 i1 e2 m8",
    "ws 192x192x64 s3 w3x1 c1x1 o1 i1 e2 m8",       "pp 128x128x64 s4 w1x1 c2x2 o1 i1 e2 hk",
    "sp 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8 k2s",   "sk 256x192x64 s3 w2x1 c1x1 o1 i1 e2 m8 k4+t",
    "skh 64x256x32 s4 w1x1 c1x1 o1 i1 e1 m8 k4+a",
};

}  // namespace

TEST_CASE("The instrumented build of each schedule neither spills nor loses its asynchrony") {
  std::vector<KernelSource> sources;
  std::vector<std::string> built;
  Turns turns("instrumented builds of schedules", 3);
  for (const std::string& text : kConfigs) {
    if (turns.due()) {
      built.push_back(text);
      sources.push_back(instrumented(gemm_config(text)));
    }
  }
  CubinCache none{std::filesystem::path()};
  std::size_t usable = 0;
  compile_each(sources, none, [&](const CompileOutcome& outcome) {
    INFO(built[outcome.index]);
    CHECK(outcome.error == "");
    CHECK(outcome.rejection == "");
    ++usable;
  });
  CHECK(usable == built.size());
}

TEST_CASE("Only the instrumented build contains timeline code") {
  const KernelConfig config = gemm_config(kConfigs[3]);
  const KernelSource ordinary = gemm_source(config, {ElementType::kFp16, Layout::kTn});
  CHECK(compile_kernel(ordinary).cubin.find(kVariable) == std::string::npos);
  CHECK(compile_kernel(instrumented(config)).cubin.find(kVariable) != std::string::npos);
}

}  // namespace tilecast
