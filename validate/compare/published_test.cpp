#include "validate/compare/published.h"

#include "model/base/file.h"
#include "tests/catch.h"
#include "tests/error_message.h"

using namespace tilecast;

namespace {

constexpr const char* kFigures = "validate/data/public/gluon_throughput.csv";
const std::string kHeader =
    "source,table,gpu,op,shape,dtype,layout,kernel,config_there,config_here,value,unit,regime\n";

}  // namespace

TEST_CASE("A published figure names a problem, two kernels and a number in its unit") {
  const auto figures = parse_published(
      kHeader + "D,T,h100_sxm,gemm,1000x1000x500,fp16,nn,k,,cublaslt:top1,489.26,TFLOPS,burst\n",
      "p.csv");
  REQUIRE(figures.size() == 1);
  CHECK(figures[0].value == 489.26);
  CHECK(figures[0].config_there.empty());
  CHECK(figures[0].regime == Regime::kBurst);
}

TEST_CASE("Remarks are no figures, and lines count them") {
  CHECK(error_message([] {
          parse_published("# one\n# two\n" + kHeader + "D,T\n", "p.csv");
        }).starts_with("2 p.csv:4: expected 13 fields"));
}

TEST_CASE("Blackwell's kernels take B as [N,K], Hopper's as the document does") {
  const auto layout = [](const std::string& config) {
    const auto figures = parse_published(
        kHeader + "D,T,g,gemm,8x8x8,fp16,nn,k,\"" + config + "\",,1,TFLOPS,burst\n", "p.csv");
    return std::get<GemmProblem>(problem_there(figures.at(0))).layout;
  };
  CHECK(layout("tcgen05_pipelined:tile=128x256x64,stages=4,warpgroups=1x1,cta_group=1,ctas=1,"
               "inflight=0,c_slots=0,raster=grouped_m,group=64") == Layout::kTn);
  CHECK(
      layout("blocked:tile=64x256x128,warpgroups=1x1,ctas=2,c_slots=0,raster=grouped_n,group=1") ==
      Layout::kNn);
  CHECK(layout("") == Layout::kNn);
}

TEST_CASE("A bad line is an error that names line and column") {
  const auto message = [](const std::string& line) {
    return error_message([&] { parse_published(kHeader + line, "p.csv"); });
  };
  CHECK(message("D,T,g,gemm,10x10,fp16,nn,k,,,1,TFLOPS,burst\n").starts_with("2 p.csv:2: shape: "));
  CHECK(
      message("D,T,g,gemm,8x8x8,fp16,nn,k,,,-1,TFLOPS,burst\n").starts_with("2 p.csv:2: value: "));
  CHECK(message("D,T,g,gemm,8x8x8,fp16,nn,k,,,1,GB,burst\n").starts_with("2 p.csv:2: unit: "));
  CHECK(message("D,T,g,gemm,8x8x8,fp16,nn,k,,blocked:x,1,us,burst\n")
            .starts_with("2 p.csv:2: config_here: "));
  CHECK(message("D,T,g,gemm,8x8x8,fp16,nn,k,,,1,us,idle\n").starts_with("2 p.csv:2: regime: "));
  CHECK(message("D,T\n").starts_with("2 p.csv:2: expected 13 fields"));
}

TEST_CASE("The committed figures can be read") {
  CHECK(parse_published(read_file(kFigures), kFigures).size() >= 106);
  constexpr const char* kH100 = "validate/data/public/h100_throughput.csv";
  CHECK(parse_published(read_file(kH100), kH100).size() >= 28);
}
