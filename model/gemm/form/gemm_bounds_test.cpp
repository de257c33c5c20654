#include "model/gemm/form/gemm_bounds.h"

#include "model/spec/load_gpu.h"
#include "model/stream/stream_closed_form.h"
#include "tests/catch.h"
#include "tests/gemm_config.h"

namespace tilecast {
namespace {

GpuSpec h200() {
  GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  gpu.wgmma->operand_rate = {128};
  gpu.machine->kernel = {5e-7};
  return gpu;
}

constexpr const char* kPingPong = "pp 128x128x64 s5 w1x1 c1x1 o1 i1 e2 m8";

TEST_CASE("Hard bounds of a GEMM, worked by hand") {
  // 2 x 1000 x 1000 x 1024 FLOPs at 132 x 4096 per cycle. 8 x 8 tiles each read 1024 elements of
  // their rows and columns: (8 x 1000 + 8 x 1000) x 1024 x 2 bytes at 132 x 128 per cycle. DRAM: 2
  // x 1000 x 1024 + 1000 x 1000 elements at the measured 4.584 TB/s, or the datasheet's 4.8 TB/s.
  const HardBounds bounds = hard_bounds(
      h200(), {{1000, 1000, 1024}, ElementType::kFp16, Layout::kTn}, gemm_config(kPingPong));
  CHECK(bounds.tensor.value == Approx(3787.88).epsilon(1e-5));
  CHECK(bounds.intake.value == Approx(1939.39).epsilon(1e-5));
  CHECK(bounds.dram.value == Approx(1.32984e-6).epsilon(1e-5));
  CHECK(bounds.dram_peak.value == Approx(1.27e-6).epsilon(1e-6));
  CHECK(bounds.launch.value == 5e-7);
}

TEST_CASE("The longest bound applies, with SM cycles at the given clock") {
  const HardBounds bounds{
      .tensor = {3000}, .intake = {2000}, .dram = {2e-6}, .dram_peak = {1.9e-6}, .launch = {5e-7}};
  CHECK(bounds.least_time({1e9}).value == Approx(3e-6));
  CHECK(bounds.least_time({1.499e9}).value > 2e-6);
  CHECK(bounds.least_time({1.501e9}).value == 2e-6);
  CHECK(bounds.least_on_any_card({1e9}).value == Approx(3e-6));
  CHECK(bounds.least_on_any_card({1.601e9}).value == 1.9e-6);
  HardBounds uncalibrated = bounds;
  uncalibrated.highest_clock = {1.25e9};
  CHECK(uncalibrated.least_time({1e9}).value == Approx(3e-6));
  CHECK(uncalibrated.least_on_any_card({1e9}).value == Approx(2.4e-6));
  CHECK(uncalibrated.least_on_any_card({1.5e9}).value == Approx(2e-6));
}

TEST_CASE("A pair of Blackwell CTAs loads B once") {
  const GpuSpec gpu = load_gpu("b200", false).spec;
  const GemmProblem problem{{4096, 4096, 4096}, ElementType::kFp16, Layout::kTn};
  const auto intake = [&](const char* group) {
    return hard_bounds(gpu, problem,
                       gemm_config(std::string("tcgen05_pipelined:tile=128x128x64,stages=4,"
                                               "warpgroups=1x1,cta_group=") +
                                   group +
                                   ",ctas=1,inflight=1,c_slots=2,raster=grouped_m,"
                                   "group=8"))
        .intake;
  };
  // A is loaded as often as before, B half as often
  CHECK(intake("2") / intake("1") == Approx(0.75));
}

TEST_CASE("Hard bounds of a memory-bound kernel are its bytes and its launch") {
  // Two matrices of 1e9 fp32 elements read, one written, at 4.584 TB/s.
  const HardBounds bounds =
      hard_bounds(h200(), StreamProblem{1000, 1000000, ElementType::kFp32, Op::kElementwiseAdd});
  CHECK(bounds.dram.value == Approx(12e9 / 4.584e12));
  CHECK(bounds.tensor.value == 0);
  CHECK(bounds.least_time({1e9}) == bounds.dram);
}

}  // namespace
}  // namespace tilecast
