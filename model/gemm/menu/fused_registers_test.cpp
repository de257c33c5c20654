#include "model/gemm/menu/fused_registers.h"

#include "model/gemm/menu/legality.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"

namespace tilecast {
namespace {

const std::string kConsumers = "ws 192x256x64 s3 w1x2 c1x2 o1 i1 e2 m8";
const std::string kLoaders = "po 128x256x64 s4 w2x1 c2x1 o1 i1 e2 m8";

Refusal refusal(const std::string& config, const char* epilogue,
                ElementType c = ElementType::kBf16) {
  static const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  GemmProblem problem{{8192, 8192, 8192}, ElementType::kBf16, Layout::kTn};
  problem.epilogue = parse_epilogue(epilogue);
  problem.c = c;
  return check_legal(gpu, problem, gemm_config(config));
}

TEST_CASE("Consumers with 40 registers left have room for an activation, not for a biased gate") {
  // 192 x 256 on two warpgroups: 192 accumulators of 232 registers. SwiGLU with a bias spilled 28.
  CHECK(refusal(kConsumers, "none") == Refusal::kNone);
  CHECK(refusal(kConsumers, "bias_n+gelu") == Refusal::kNone);
  CHECK(refusal(kConsumers, "swiglu") == Refusal::kNone);
  CHECK(refusal(kConsumers, "bias_n+swiglu") == Refusal::kRegisters);
  CHECK(refusal(kConsumers, "residual") == Refusal::kNone);
  CHECK(refusal(kConsumers, "bias_n+gelu+residual") == Refusal::kRegisters);
  CHECK(refusal(kConsumers, "none", ElementType::kFp32) == Refusal::kRegisters);
}

TEST_CASE("Threads that also load the next tile have no room for a residual with an activation") {
  // 128 accumulators leave 127 of 255 registers. In layout nt a batch with this epilogue spilled 3.
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
