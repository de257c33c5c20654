#include "cli/rejection_table.h"

#include "model/spec/compiler_rejections.h"
#include "model/tile/kernel_config_text.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

const KernelConfig kConfig = parse_kernel_config(
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=1x2,ctas=1,inflight=1,"
    "c_slots=2,producer=24,grid=resident,raster=grouped_m,group=8,walk=strided");

std::string key_of(const KernelConfig& config, std::optional<ElementType> dtype) {
  return rejection_key(Architecture::kHopper, config, dtype, Layout::kTn);
}

bool rejected(const RejectionTable& table, const KernelConfig& config, ElementType dtype,
              Layout layout) {
  return any_rejects(parse_compiler_rejections(table.text(), "t"),
                     {{4096, 4096, 4096}, dtype, layout}, config);
}

}  // namespace

TEST_CASE("A row that is written is read as being about that kernel and no other") {
  RejectionTable table("", "t");
  table.set(key_of(kConfig, ElementType::kFp16), "nvrtc 13.0", "spills");
  CHECK(rejected(table, kConfig, ElementType::kFp16, Layout::kTn));
  CHECK_FALSE(rejected(table, kConfig, ElementType::kBf16, Layout::kTn));
  CHECK_FALSE(rejected(table, kConfig, ElementType::kFp16, Layout::kNn));
  KernelConfig other = kConfig;
  other.raster = {RasterKind::kHilbert, 1, Walk::kStrided};  // chosen at run time
  other.grid = Grid::kTiles;
  CHECK(rejected(table, other, ElementType::kFp16, Layout::kTn));
  other.tiling.stages = 3;
  CHECK_FALSE(rejected(table, other, ElementType::kFp16, Layout::kTn));
}

TEST_CASE("Without a type a row is about both") {
  RejectionTable table("", "t");
  table.set(key_of(kConfig, std::nullopt), "nvrtc 13.0", "wgmma_serialized");
  CHECK(rejected(table, kConfig, ElementType::kFp16, Layout::kTn));
  CHECK(rejected(table, kConfig, ElementType::kBf16, Layout::kTn));
}

TEST_CASE("What was known of other kernels stays, what is found again replaces its row") {
  RejectionTable first("", "t");
  KernelConfig other = kConfig;
  other.inflight = 0;
  first.set(key_of(kConfig, std::nullopt), "nvrtc 13.0", "spills");
  first.set(key_of(other, std::nullopt), "nvrtc 13.0", "spills");
  RejectionTable second(first.text(), "t");
  CHECK(second.text() == first.text());
  second.set(key_of(other, std::nullopt), "nvrtc 13.1", "error");
  CHECK(second.rows() == 2);
  CHECK(second.text().find("nvrtc 13.1,error\n") != std::string::npos);
  second.set(key_of(other, std::nullopt), "nvrtc 13.1", "");
  CHECK(second.rows() == 1);
  CHECK_FALSE(rejected(second, other, ElementType::kFp16, Layout::kTn));
}

TEST_CASE("Each rejection has its word") {
  CHECK(rejection_reason("spills: 4 bytes stored, 4 bytes loaded") == "spills");
  CHECK(rejection_reason("stack frame of 16 bytes") == "spills");
  CHECK(rejection_reason("C7508: setmaxnreg ignored") == "setmaxnreg_ignored");
  CHECK(rejection_reason("C7510: wgmma serialized") == "wgmma_serialized");
  CHECK(rejection_reason("pipelined.cu does not compile") == "error");
}

}  // namespace tilecast
