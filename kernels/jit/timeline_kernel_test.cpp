// The instrumented build of every schedule, compiled without a GPU.
#include "kernels/jit/timeline_kernel.h"

#include <set>
#include <string>
#include <vector>

#include "kernels/jit/compile_ahead.h"
#include "kernels/jit/gemm_kernel.h"
#include "model/gemm/config/kernel_config_text.h"
#include "tests/catch.h"
#include "tests/seed.h"

namespace tilecast {
namespace {

constexpr std::string_view kVariable = "tilecast_timeline";

KernelSource instrumented(const KernelConfig& config) {
  return gemm_source(config, {ElementType::kFp16, Layout::kTn}, SumScale::kNone, Build::kTimeline);
}

/// Including some that are short of registers.
const std::vector<std::string> kConfigs = {
    "small_mma:tile=64x256x64,warpgroups=1x1,a=registers,instruction_n=8",
    "blocked:tile=128x128x128,warpgroups=1x1,ctas=2,c_slots=0,raster=grouped_m,group=8",
    "blocked_pipelined:tile=128x256x64,warpgroups=2x1,ctas=1,c_slots=0,raster=hilbert,group=1",
    "pipelined:tile=128x256x64,stages=4,warpgroups=2x1,ctas=1,inflight=2,c_slots=0,"
    "raster=grouped_m,group=8",
    "persistent:tile=128x256x64,stages=4,warpgroups=2x1,ctas=1,inflight=1,c_slots=2,"
    "raster=grouped_m,group=8,walk=strided",
    "persistent:tile=128x96x64,stages=4,warpgroups=1x1,ctas=2,inflight=0,c_slots=2,"
    "raster=grouped_n,group=4,walk=strided",
    "persistent_overlap:tile=128x256x64,stages=3,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=0,raster=grouped_m,group=8,walk=strided",
    "warp_specialized:tile=256x192x64,stages=3,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided",
    "warp_specialized:tile=192x192x64,stages=3,warpgroups=3x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=2,producer=32,grid=resident,raster=grouped_m,group=8,walk=strided",
    "ping_pong:tile=128x128x64,stages=4,cluster=2x2,ctas=1,inflight=1,c_slots=2,producer=40,"
    "raster=hilbert,group=1,walk=chunked",
    "split_k:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,c_slots=2,"
    "producer=40,splits=2,reduction=spread,raster=grouped_m,group=8",
    "stream_k:tile=256x192x64,stages=3,warpgroups=2x1,cluster=1x1,ctas=1,inflight=1,c_slots=2,"
    "producer=40,min_k_blocks=4,reduction=turnstile,raster=grouped_m,group=8",
    "stream_k_hybrid:tile=64x256x32,stages=4,warpgroups=1x1,cluster=1x1,ctas=1,inflight=1,"
    "c_slots=1,producer=40,min_k_blocks=4,reduction=atomic,raster=grouped_m,group=8",
};

}  // namespace

TEST_CASE("The instrumented build of each schedule neither spills nor loses its asynchrony") {
  std::vector<KernelSource> sources;
  std::vector<std::string> built;
  Turns turns("instrumented builds of schedules", 3);
  for (const std::string& text : kConfigs) {
    if (turns.due()) {
      built.push_back(text);
      sources.push_back(instrumented(parse_kernel_config(text)));
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
  const KernelConfig config = parse_kernel_config(kConfigs[3]);
  const KernelSource ordinary = gemm_source(config, {ElementType::kFp16, Layout::kTn});
  CHECK(compile_kernel(ordinary).cubin.find(kVariable) == std::string::npos);
  CHECK(compile_kernel(instrumented(config)).cubin.find(kVariable) != std::string::npos);
}

}  // namespace tilecast
