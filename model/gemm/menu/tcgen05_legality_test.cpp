#include "model/gemm/menu/legality.h"

#include <set>

#include "model/base/error.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/menu/candidates.h"
#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/error_message.h"

namespace tilecast {
namespace {

const GemmProblem kProblem{{8192, 8192, 8192}, ElementType::kFp16, Layout::kTn};
const GemmProblem kFewTiles{{256, 512, 16384}, ElementType::kFp16, Layout::kTn};

const GpuSpec& gb200() {
  static const GpuSpec gpu = load_gpu("gb200", false).spec;
  return gpu;
}

/// Returns the refusal of a legal configuration with one part of its string replaced.
std::string refusal(const std::string& from, const std::string& to,
                    const GemmProblem& problem = kProblem) {
  std::string text =
      "tcgen05_warp_specialized:tile=128x256x64,stages=4,warpgroups=1x1,cta_group=1,"
      "accumulators=2,ctas=1,inflight=1,c_slots=2,grid=resident,raster=grouped_m,group=8,"
      "walk=strided";
  if (!from.empty()) {
    text.replace(text.find(from), from.size(), to);
  }
  return std::string(to_text(check_legal(gb200(), problem, parse_kernel_config(text))));
}

}  // namespace

TEST_CASE("Each rule of the tcgen05 kernels is pinned on both sides") {
  CHECK(refusal("", "") == "none");
  CHECK(refusal("128x256", "64x256") == "wgmma_shape");  // 64 rows; each of 128 lanes needs one
  CHECK(refusal("128x256", "128x192") == "none");
  CHECK(refusal("128x256", "128x224") == "wgmma_shape");  // not whole slots of 64 columns
  CHECK(refusal("128x256", "128x320") == "wgmma_shape");  // an instruction has at most 256 columns
  CHECK(refusal("256x64", "256x32") == "wgmma_shape");    // not a whole 128-byte row
  CHECK(refusal("warpgroups=1x1", "warpgroups=1x2") == "shared_memory");  // needs twice the slots
  CHECK(refusal("warpgroups=1x1", "warpgroups=2x1") == "schedule");
  CHECK(refusal("warpgroups=1x1", "warpgroups=1x3") == "schedule");
  CHECK(refusal("cta_group=1", "cta_group=2") == "none");
  CHECK(refusal("cta_group=1", "cta_group=4") == "cluster");
  CHECK(refusal("accumulators=2", "accumulators=3") == "schedule");
  CHECK(refusal("inflight=1", "inflight=2") == "none");
  CHECK(refusal("inflight=1", "inflight=3") == "schedule");
  CHECK(refusal("stages=4", "stages=1") == "schedule");  // no stage is free while MMAs run
  CHECK(refusal("stages=4", "stages=5") == "shared_memory");
  CHECK(refusal("c_slots=2", "c_slots=0") == "schedule");  // the ring is never drained
  CHECK(refusal("walk=strided", "walk=chunked") == "none");
  CHECK(refusal("grid=resident", "grid=takeover") == "none");
  // Two CTAs with 2 x 128 columns share the 512 of tensor memory. 2 x 192 are allocated as 512 for
  // each CTA, so two CTAs do not fit.
  CHECK(refusal("128x256x64,stages=4", "128x128x64,stages=2") == "none");
  const GemmProblem nn{{8192, 8192, 8192}, ElementType::kFp16, Layout::kNn};
  CHECK(refusal("", "", nn) == "schedule");
}

TEST_CASE("Two CTAs per SM must share tensor memory") {
  const auto two = [](const std::string& tile) {
    return to_text(check_legal(
        gb200(), kProblem,
        parse_kernel_config("tcgen05_warp_specialized:tile=" + tile +
                            ",stages=2,warpgroups=1x1,cta_group=2,accumulators=2,ctas=2,inflight=1,"
                            "c_slots=1,grid=resident,raster=grouped_m,group=8,walk=strided")));
  };
  CHECK(two("128x128x64") == "none");           // 256 columns each
  CHECK(two("128x192x64") == "tensor_memory");  // 384 are rounded up to 512 columns each
}

TEST_CASE("A schedule of the other architecture is rejected with its name") {
  const std::string wgmma =
      "pipelined:tile=128x256x64,stages=4,warpgroups=2x1,ctas=1,inflight=1,c_slots=0,"
      "raster=grouped_m,group=8";
  const std::string tcgen05 =
      "tcgen05_pipelined:tile=128x256x64,stages=4,warpgroups=1x1,cta_group=1,ctas=1,inflight=1,"
      "c_slots=0,raster=grouped_m,group=8";
  const auto complaint = [](const char* gpu, const std::string& config) {
    return ERROR_MESSAGE(predict_config(load_gpu(gpu, false).spec, kProblem,
                                        parse_kernel_config(config), Regime::kBurst,
                                        Inputs::kNormal));
  };
  CHECK(complaint("gb200", wgmma) == "2 " + wgmma +
                                         " is not legal on gb200 for fp16 tn: wgmma schedules "
                                         "require hopper; this GPU is blackwell");
  CHECK(complaint("h200_sxm", tcgen05) == "2 " + tcgen05 +
                                              " is not legal on h200_sxm for fp16 tn: tcgen05 "
                                              "schedules require blackwell; this GPU is hopper");
}

TEST_CASE("Few tiles with a long K are split on GB200, in turn or by atomic additions") {
  std::set<std::pair<i32, Reduction>> kinds;
  for (const KernelConfig& config :
       enumerate_candidates(gb200(), kFewTiles, {Schedule::kTcgen05SplitK}).legal) {
    CHECK(config.decomposition.splits >= 2);
    kinds.insert({cta_group(config.tiling), config.decomposition.reduction});
  }
  CHECK(kinds == std::set<std::pair<i32, Reduction>>{{1, Reduction::kTurnstile},
                                                     {1, Reduction::kAtomic},
                                                     {2, Reduction::kTurnstile},
                                                     {2, Reduction::kAtomic}});
}

TEST_CASE("GB200 candidates cover every tcgen05 schedule, alone and in pairs, each once") {
  std::set<std::string> texts;
  std::set<std::pair<Schedule, i32>> kinds;
  std::set<Grid> grids;
  const Candidates candidates = enumerate_candidates(gb200(), kProblem, {});
  for (const KernelConfig& config : candidates.legal) {
    texts.insert(to_text(config));
    kinds.insert({config.schedule, cta_group(config.tiling)});
    grids.insert(config.grid);
  }
  CHECK(texts.size() == candidates.legal.size());
  CHECK(kinds.size() == 2 * (std::size(kTcgen05Schedules) - 1));  // enough tiles without splits
  CHECK(grids.size() == 3);
  // A decode problem has fewer rows than a tile's 128.
  CHECK(!enumerate_candidates(gb200(), {{16, 4096, 4096}, ElementType::kBf16, Layout::kTn}, {})
             .legal.empty());
}

}  // namespace tilecast
