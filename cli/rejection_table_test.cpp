#include "cli/rejection_table.h"

#include "model/spec/compiler_rejections.h"
#include "model/tile/kernel_config_text.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

const KernelConfig kConfig = parse_kernel_config(
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=1x2,ctas=1,inflight=1,"
    "c_slots=2,producer=24,grid=resident,raster=grouped_m,group=8,walk=strided");

GemmProblem problem(ElementType dtype, Layout layout = Layout::kTn) {
  return {{4096, 4096, 4096}, dtype, layout};
}

CompilerRejection row(const KernelConfig& config, std::string_view reason = "spills",
                      std::string_view compiler = "nvrtc 13.0") {
  return rejection_of("hopper", variant_of(problem(ElementType::kFp16), config), compiler, reason);
}

bool rejected(const RejectionTable& table, const KernelConfig& config, const GemmProblem& problem) {
  return any_rejects(parse_compiler_rejections(table.text(), "t"), problem, config);
}

}  // namespace

TEST_CASE("A row that is written is read as being about that kernel and no other") {
  RejectionTable table("", "t");
  table.set(row(kConfig));
  const GemmProblem fp16 = problem(ElementType::kFp16);
  CHECK(rejected(table, kConfig, fp16));
  CHECK_FALSE(rejected(table, kConfig, problem(ElementType::kBf16)));
  CHECK_FALSE(rejected(table, kConfig, problem(ElementType::kFp16, Layout::kNn)));
  KernelConfig other = kConfig;
  other.raster = {RasterKind::kGroupedN, 4, Walk::kChunked};  // chosen at run time
  other.grid = Grid::kTiles;
  CHECK(rejected(table, other, fp16));
  KernelConfig on_curve = kConfig;
  on_curve.raster = {RasterKind::kHilbert, 1, Walk::kStrided};
  CHECK_FALSE(rejected(table, on_curve, fp16));
  other.tiling.stages = 3;
  CHECK_FALSE(rejected(table, other, fp16));
}

TEST_CASE("What was known of other kernels stays, what is found again replaces its row") {
  RejectionTable first("", "t");
  KernelConfig other = kConfig;
  other.inflight = 0;
  first.set(row(kConfig));
  first.set(row(other));
  RejectionTable second(first.text(), "t");
  CHECK(second.text() == first.text());
  second.set(row(other, "error", "nvrtc 13.1"));
  CHECK(second.rows() == 2);
  CHECK(second.text().find("nvrtc 13.1,error\n") != std::string::npos);
  second.set(row(other, ""));
  CHECK(second.rows() == 1);
  CHECK_FALSE(rejected(second, other, problem(ElementType::kFp16)));
}

TEST_CASE("Each rejection has its word") {
  CHECK(rejection_reason("spills: 4 bytes stored, 4 bytes loaded") == "spills");
  CHECK(rejection_reason("stack frame of 16 bytes") == "spills");
  CHECK(rejection_reason("C7508: setmaxnreg ignored") == "setmaxnreg_ignored");
  CHECK(rejection_reason("C7510: wgmma serialized") == "wgmma_serialized");
  CHECK(rejection_reason("pipelined.cu does not compile") == "error");
}

}  // namespace tilecast
