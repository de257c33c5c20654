#include "reports/published.h"

#include "model/base/file.h"
#include "tests/catch.h"
#include "tests/error_message.h"

using namespace tilecast;

namespace {

const std::string kHeader =
    "source,table,gpu,op,shape,dtype,layout,kernel,config_there,config_here,value,unit\n";

}  // namespace

TEST_CASE("A published figure names a problem, two kernels and a number in its unit") {
  const auto figures = parse_published(
      kHeader + "D,T,h100_sxm,gemm,1000x1000x500,fp16,nn,k,,cublaslt:top1,489.26,TFLOPS\n",
      "p.csv");
  REQUIRE(figures.size() == 1);
  CHECK(figures[0].value == 489.26);
  CHECK(figures[0].config_there.empty());
  CHECK(*in_unit(figures[0].unit, figures[0].problem, Seconds{1e-6}) ==
        Approx(1000));  // 10^9 in 1 us
}

TEST_CASE("Speeds of copies count every byte once, in units of 2^40") {
  const auto figures = parse_published(
      kHeader + "D,T,gb200,elementwise_add,1024x1024,fp32,,k,,,4.2,TiB/s\n", "p.csv");
  // 3 matrices of 4 MiB in 12 us: 12 x 2^20 / 12e-6 / 2^40
  CHECK(*in_unit(figures[0].unit, figures[0].problem, Seconds{12e-6}) ==
        Approx(1.0 / 1048576 / 1e-6));
}

TEST_CASE("A bad line is an error that names line and column") {
  const auto message = [](const std::string& line) {
    return error_message([&] { parse_published(kHeader + line, "p.csv"); });
  };
  CHECK(message("D,T,g,gemm,10x10,fp16,nn,k,,,1,TFLOPS\n").starts_with("2 p.csv:2: shape: "));
  CHECK(message("D,T,g,gemm,8x8x8,fp16,nn,k,,,-1,TFLOPS\n").starts_with("2 p.csv:2: value: "));
  CHECK(message("D,T,g,gemm,8x8x8,fp16,nn,k,,,1,GB\n").starts_with("2 p.csv:2: unit: "));
  CHECK(message("D,T,g,gemm,8x8x8,fp16,nn,k,,blocked:x,1,us\n")
            .starts_with("2 p.csv:2: config_here: "));
  CHECK(message("D,T\n").starts_with("2 p.csv:2: expected 12 fields"));
}

TEST_CASE("The committed figures can be read") {
  CHECK(parse_published(read_file("reports/published.csv"), "reports/published.csv").size() == 106);
}
