#include "model/tile/kernel_config_text.h"

#include <random>
#include <string>

#include "tests/catch.h"
#include "tests/error_message.h"

namespace tilecast {
namespace {

const std::string kGood =
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2,cluster=2x1,ctas=1,inflight=1,"
    "raster=grouped_m,group=8";

/// The complaint about kGood with `from` replaced by `to`.
std::string complaint(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
  const std::string message = error_message([&] { parse_kernel_config(text); });
  const std::string prefix = "2 configuration '" + text + "': ";
  return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
}

TEST_CASE("The canonical text names every choice in its order") {
  const KernelConfig config{
      Schedule::kWarpSpecialized, {128, 256, 64, 4, 2, 2, 1}, 1, 1, {RasterKind::kGroupedM, 8}};
  CHECK(to_text(config) == kGood);
  CHECK(parse_kernel_config(kGood) == config);
}

TEST_CASE("Random configurations survive printing and parsing") {
  std::mt19937 random(20261120);
  const auto pick = [&random](int least, int most) {
    return std::uniform_int_distribution<int>(least, most)(random);
  };
  for (int i = 0; i < 5000; ++i) {
    const auto kind = static_cast<RasterKind>(pick(0, 2));
    const KernelConfig config{static_cast<Schedule>(pick(0, 2)),
                              {pick(1, 4096), pick(1, 4096), pick(1, 4096), pick(1, 99), pick(1, 8),
                               pick(1, 16), pick(1, 16)},
                              pick(1, 32),
                              pick(0, 2),
                              {kind, kind == RasterKind::kChunked ? 1 : pick(1, 1 << 20)}};
    const KernelConfig parsed = parse_kernel_config(to_text(config));
    REQUIRE(parsed == config);
    REQUIRE(to_text(parsed) == to_text(config));
  }
}

TEST_CASE("A configuration that is not in the canonical form says what was expected") {
  CHECK(complaint("warp_specialized:", "warp_specialized ") == "expected schedule:key=value,...");
  CHECK(complaint("warp_specialized", "warp_specialised") ==
        "2 unknown schedule 'warp_specialised': expected one of pipelined, persistent, "
        "warp_specialized; did you mean warp_specialized?");
  CHECK(complaint("tile=128x256x64", "tile=128x256") == "tile=128x256: expected MxNxK");
  CHECK(complaint("128x256x64", "128x256x64x1") == "tile=128x256x64x1: expected MxNxK");
  CHECK(complaint("128x256x64", "128x0x64") == "tile=128x0x64: expected MxNxK");
  CHECK(complaint("128x256x64", "128x2147483648x64") == "tile=128x2147483648x64: expected MxNxK");
  CHECK(complaint("128x256x64", "128*256*64") == "tile=128*256*64: expected MxNxK");
  CHECK(complaint("stages=4", "stages=0") == "stages=0: expected a whole number from 1 to 1048576");
  CHECK(complaint("stages=4", "stages=four") ==
        "stages=four: expected a whole number from 1 to 1048576");
  CHECK(complaint("stages=4", "stages") == "expected stages=... where 'stages' stands");
  CHECK(complaint("warpgroups=2", "warpgroups=-1") ==
        "warpgroups=-1: expected a whole number from 1 to 1048576");
  CHECK(complaint("cluster=2x1", "cluster=2") == "cluster=2: expected MxN");
  CHECK(complaint("ctas=1", "ctas=1.0") == "ctas=1.0: expected a whole number from 1 to 1048576");
  CHECK(complaint("inflight=1", "inflight=-1") ==
        "inflight=-1: expected a whole number from 0 to 1048576");
  CHECK(complaint("raster=grouped_m", "raster=groupd_m") ==
        "2 unknown raster 'groupd_m': expected one of grouped_m, grouped_n, chunked; did you "
        "mean grouped_m?");
  CHECK(complaint("raster=grouped_m", "raster=chunked") ==
        "raster=chunked has no groups: expected group=1");
  CHECK(complaint(",group=8", "") == "expected group=... at the end");
  CHECK(complaint(",group=8", ",group=8,x=1") == "unexpected 'x=1' at the end");
  CHECK(complaint("stages=4,warpgroups=2", "warpgroups=2,stages=4") ==
        "expected stages=... where 'warpgroups=2' stands");
  CHECK(complaint("group=8", "group=1048577") ==
        "group=1048577: expected a whole number from 1 to 1048576");
  CHECK(complaint("stages=4", "stages=04").starts_with("expected the canonical text "));
  CHECK(complaint("inflight=1", "inflight=-0").starts_with("expected the canonical text "));
}

TEST_CASE("A shape is three sides from 1 to 2^31 - 1") {
  CHECK(parse_gemm_shape("8192x4096x64") == GemmShape{8192, 4096, 64});
  CHECK(parse_gemm_shape("1x2147483647x1") == GemmShape{1, 2147483647, 1});
  CHECK(to_text(GemmShape{8192, 4096, 64}) == "8192x4096x64");
  for (const std::string text : {"", "8192", "8192x8192", "1x1x0", "1x1x-8", "1x2147483648x1",
                                 "1x1x1x1", "1X1X1", "1x1x", "axbxc", "1.5x1x1", " 1x1x1"}) {
    CHECK(error_message([&] { parse_gemm_shape(text); }) ==
          "2 shape '" + text +
              "': expected MxNxK, three whole numbers from 1 to 2147483647, such as "
              "4096x4096x4096");
  }
}

TEST_CASE("Types and layouts are read by their words only") {
  CHECK(parse_element_type("bf16") == ElementType::kBf16);
  CHECK(to_text(parse_layout("nn")) == "nn");
  CHECK(error_message([] { parse_element_type("fp61"); }) ==
        "2 unknown dtype 'fp61': expected one of fp16, bf16, fp32; did you mean fp16?");
  CHECK(error_message([] { parse_layout("nt"); }) ==
        "2 unknown layout 'nt': expected one of tn, nn; did you mean tn?");
}

}  // namespace
}  // namespace tilecast
