#include "model/gemm/menu/fused_registers.h"

#include "model/gemm/config/kernel_config_text.h"
#include "model/gemm/menu/legality.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

const std::string kConsumers =
    "warp_specialized:tile=192x256x64,stages=3,warpgroups=1x2,cluster=1x2,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided";
const std::string kLoaders =
    "persistent_overlap:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=2,raster=grouped_m,group=8,walk=strided";

Refusal refusal(const std::string& config, const char* epilogue,
                ElementType c = ElementType::kBf16) {
  static const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  GemmProblem problem{{8192, 8192, 8192}, ElementType::kBf16, Layout::kTn};
  problem.epilogue = parse_epilogue(epilogue);
  problem.c = c;
  return check_legal(gpu, problem, parse_kernel_config(config));
}

TEST_CASE("Consumers with 40 registers left have room for an activation, not for a biased gate") {
  // 192 x 256 between two warpgroups: 192 accumulators of 232 registers. SwiGLU with a bias spilled
  // 28.
  CHECK(refusal(kConsumers, "none") == Refusal::kNone);
  CHECK(refusal(kConsumers, "bias_n+gelu") == Refusal::kNone);
  CHECK(refusal(kConsumers, "swiglu") == Refusal::kNone);
  CHECK(refusal(kConsumers, "bias_n+swiglu") == Refusal::kRegisters);
  CHECK(refusal(kConsumers, "residual") == Refusal::kNone);
  CHECK(refusal(kConsumers, "bias_n+gelu+residual") == Refusal::kRegisters);
  CHECK(refusal(kConsumers, "none", ElementType::kFp32) == Refusal::kRegisters);
}

TEST_CASE("Threads that also load the next tile have no room for a residual with an activation") {
  // 128 accumulators of 255 registers. In layout nt a batch with this epilogue spilled 3.
  CHECK(refusal(kLoaders, "bias_n+gelu") == Refusal::kNone);
  CHECK(refusal(kLoaders, "residual") == Refusal::kNone);
  CHECK(refusal(kLoaders, "bias_n+gelu+residual") == Refusal::kRegisters);
}

TEST_CASE("A Hilbert curve needs registers if clusters share A") {
  const auto with = [](const char* cluster, const char* raster) {
    return std::string("persistent_overlap:tile=192x256x64,stages=3,warpgroups=3x1,cluster=") +
           cluster + ",ctas=1,inflight=1,c_slots=2,raster=" + raster + ",walk=strided";
  };
  // 128 accumulators of 168 registers.
  CHECK(refusal(with("1x2", "grouped_m,group=8"), "none") == Refusal::kNone);
  CHECK(refusal(with("2x1", "hilbert,group=1"), "none") == Refusal::kNone);
  CHECK(refusal(with("1x2", "hilbert,group=1"), "none") == Refusal::kRegisters);
}

}  // namespace
}  // namespace tilecast
