#include "cli/cutlass_output.h"

#include "model/base/error.h"
#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "tests/captured_run.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

constexpr const char* kCooperative =
    "warp_specialized:tile=128x256x64,stages=4,warpgroups=2x1,cluster=2x1,ctas=1,inflight=1,"
    "c_slots=2,producer=40,grid=resident,raster=grouped_m,group=8,walk=strided";
constexpr const char* kPingPong =
    "ping_pong:tile=64x256x64,stages=4,cluster=1x2,ctas=1,inflight=1,c_slots=2,producer=40,"
    "raster=grouped_n,group=2,walk=strided";

GemmProblem problem_of(Layout layout) { return {{4096, 8192, 1024}, ElementType::kBf16, layout}; }

std::string_view why_not(const std::string& text) {
  return why_not_cutlass(problem_of(Layout::kTn), parse_kernel_config(text));
}

/// Returns the text with one piece of it replaced.
std::string with(std::string text, const std::string& piece, const std::string& by) {
  text.replace(text.find(piece), piece.size(), by);
  return text;
}

TEST_CASE("A kernel has the name of the one in CUTLASS's library that computes the transpose") {
  CHECK(cutlass_name(problem_of(Layout::kTn), parse_kernel_config(kCooperative)) ==
        "cutlass3x_sm90_tensorop_gemm_bf16_bf16_f32_bf16_bf16_256x128x64_1x2x1_0_tnn_align8"
        "_warpspecialized_cooperative_epi_tma");
  CHECK(cutlass_name(problem_of(Layout::kNn), parse_kernel_config(kPingPong)) ==
        "cutlass3x_sm90_tensorop_gemm_bf16_bf16_f32_bf16_bf16_256x64x64_2x1x1_0_nnn_align8"
        "_warpspecialized_pingpong_epi_tma");
  const std::string one = with(with(kCooperative, "2x1", "1x1"), "resident", "tiles");
  CHECK(cutlass_name(problem_of(Layout::kTn), parse_kernel_config(one))
            .ends_with("_align8_warpspecialized_epi_nosmem"));
}

TEST_CASE("A kernel is given in the terms of CollectiveBuilder") {
  CHECK(builder_text(parse_kernel_config(kCooperative)) ==
        "TileShape 256x128x64, ClusterShape 1x2x1, KernelTmaWarpSpecializedCooperative");
  CHECK(builder_text(parse_kernel_config(kPingPong)) ==
        "TileShape 256x64x64, ClusterShape 2x1x1, KernelTmaWarpSpecializedPingpong");
}

TEST_CASE("A configuration without a CUTLASS counterpart has a reason") {
  CHECK(why_not(kCooperative).empty());
  CHECK(why_not(kPingPong).empty());
  CHECK(why_not(with(kCooperative, "strided", "strided,store=deferred")) == "store=deferred");
  CHECK(why_not(with(kCooperative, "resident", "tiles")) == "grid");
  // A kernel with one consumer has a CTA per tile.
  CHECK(why_not(with(kCooperative, "2x1", "1x1")) == "grid");
  CHECK(why_not(with(kCooperative, "ctas=1", "ctas=2")) == "several CTAs on an SM");
  // CUTLASS's largest swizzle is 8.
  CHECK(why_not(with(kCooperative, "group=8", "group=16")) == "raster");
  CHECK(why_not(with(kCooperative, "group=8", "group=3")) == "raster");
  CHECK(why_not(with(kCooperative, "grouped_m,group=8", "hilbert,group=1")) == "raster");
  CHECK(why_not(with(kCooperative, "strided", "chunked")) == "walk=chunked");
  // CUTLASS's M is tilecast's N. Its generator has 64, 128 and 256 rows, and 64 rows are too few
  // for two warpgroups.
  CHECK(why_not(with(kCooperative, "128x256x64", "128x224x64")) == "tile");
  CHECK(why_not(with(kCooperative, "128x256x64", "128x192x64")) == "tile");
  CHECK(why_not(with(kPingPong, "64x256x64", "128x192x64")) == "tile");
  CHECK(why_not(with(kCooperative, "128x256x64", "128x64x64")) == "tile");
  CHECK(why_not(with(kCooperative, "128x256x64", "128x128x64")).empty());
  CHECK(why_not("persistent:tile=128x256x64,stages=4,warpgroups=2x1,ctas=1,inflight=1,c_slots=2,"
                "raster=grouped_m,group=8,walk=strided") == "schedule");
}

TEST_CASE("Kernels named align8 need rows of C at multiples of 16 bytes") {
  const KernelConfig config = parse_kernel_config(kCooperative);
  for (const Layout layout : kEveryLayout) {
    GemmProblem problem = problem_of(layout);
    problem.shape.n = 4100;  // 8200 bytes are 8 more than a multiple of 16
    CHECK(why_not_cutlass(problem, config) == "rows of C");
    problem.shape.n = 4104;
    CHECK(why_not_cutlass(problem, config).empty());
  }
}

TEST_CASE("Configurations with one CUTLASS counterpart are one row, and --top counts kernels") {
  Ranking ranking{.problem = problem_of(Layout::kTn)};
  double time = 100e-6;
  for (const std::string& text :
       {std::string(kCooperative), with(kCooperative, "stages=4", "stages=3"),
        with(kCooperative, "c_slots=2", "c_slots=4"), with(kCooperative, "group=8", "group=4")}) {
    Prediction p{};
    p.config = parse_kernel_config(text);
    p.time = Seconds{time += 1e-6};
    ranking.predictions.push_back(p);
  }
  const std::string rows = cutlass_rows(ranking, 2);
  REQUIRE(split(rows, '\n').size() == 3);  // two rows, and the last line end
  CHECK(contains(rows, ",101,"));
  CHECK(contains(rows, ",104,"));
}

TEST_CASE("A test list transposes the problem, and counts omitted kernels") {
  Ranking ranking{.problem = problem_of(Layout::kTn)};
  const KernelConfig plain = parse_kernel_config(kCooperative);
  KernelConfig deferred = plain;
  deferred.store = Store::kDeferred;
  for (const KernelConfig& config : {deferred, plain, parse_kernel_config(kPingPong)}) {
    Prediction p{};
    p.config = config;
    p.time = Seconds{100e-6};
    ranking.predictions.push_back(p);
  }
  const TemporaryFolder folder;
  std::string first;
  {
    const StreamCapture err(stderr, (folder / "err").string());
    first = cutlass_rows(ranking, 1, "512: ");
  }
  CHECK(read_file(folder / "err") ==
        "512: CUTLASS has no counterpart of some faster configurations; features that it lacks: "
        "store=deferred 1\n");
  const std::vector<std::string_view> fields = split(first, ',');
  REQUIRE(fields.size() > 22);
  CHECK(fields[1] == "8192");  // m is tilecast's n
  CHECK(fields[2] == "4096");
  CHECK(fields[3] == "1024");
  CHECK(fields[5] == "tnn");
  CHECK(fields[13] == "256");
  CHECK(fields[14] == "128");
  CHECK(fields[16] == "1");  // cluster 2x1, transposed
  CHECK(fields[17] == "2");
  CHECK(fields[19] == "along_m");
  CHECK(fields[20] == "8");
  CHECK(fields[22] == "100");
  CHECK(split(cutlass_header(), ',').size() == 24);
  CHECK(split(cutlass_rows(ranking, 5), '\n').size() == 3);  // two rows, and the last line end
  ranking.problem = StreamProblem{};
  CHECK_THROWS_AS(cutlass_rows(ranking, 1), ConfigError);
}

}  // namespace
}  // namespace tilecast
