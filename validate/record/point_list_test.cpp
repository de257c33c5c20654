#include "validate/record/point_list.h"

#include "tests/catch.h"
#include "tests/error_message.h"
#include "validate/record/example_measurement.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {
namespace {

const std::string kConfig = "blocked:tile=128x128x64";

std::string complaint(const std::string& text) {
  return ERROR_TEXT(parse_point_list(text, "p.csv"));
}

TEST_CASE("A measurement CSV lists its own points, each once") {
  Measurement row = example_measurement(kConfig, Seconds{1e-3});
  row.drawn = "random";
  const std::vector<ListedPoint> points = parse_point_list(measurement_csv({row, row}), "rows.csv");
  REQUIRE(points.size() == 1);
  CHECK(points[0].point == row.point);
  CHECK(points[0].drawn == "random");
}

TEST_CASE("A list is read back as written") {
  ListedPoint gemm{example_measurement(kConfig, Seconds{1e-3}).point, "best"};
  gemm.point.regime = Regime::kSustained;
  ListedPoint copy{};
  copy.point.problem = StreamProblem{1, 1 << 20, ElementType::kFp32, Op::kMemcpy};
  copy.point.config = std::string(kRuntimeCopy);
  ListedPoint exact = gemm;
  std::get<GemmProblem>(exact.point.problem).dtype = ElementType::kE4m3;
  std::get<GemmProblem>(exact.point.problem).accumulate = Accumulate::kExact;
  const std::vector<ListedPoint> back =
      parse_point_list(point_list_csv({gemm, copy, exact}), "p.csv");
  REQUIRE(back.size() == 3);
  CHECK(back[0].point == gemm.point);
  CHECK(back[0].drawn == "best");
  CHECK(back[1].point == copy.point);
  CHECK(back[2].point == exact.point);
}

TEST_CASE("Optional columns take defaults, and a missing required one is named") {
  const std::string header = "op,m,n,k,dtype,layout,config\n";
  const std::vector<ListedPoint> points =
      parse_point_list(header + "gemm,64,64,64,fp16,tn,cublaslt:top1\n", "p.csv");
  REQUIRE(points.size() == 1);
  CHECK(points[0].point.regime == Regime::kBurst);
  CHECK(points[0].point.inputs == Inputs::kNormal);
  CHECK(complaint("op,m,n,k,dtype,layout\n").find("p.csv:1: config: column missing") == 0);
  CHECK(complaint(header + "gemm,64,64,64,fp99,tn,cublaslt:top1\n").find("p.csv:2: dtype: ") == 0);
  CHECK(complaint(header + "gemm,64,64,,fp16,tn,cublaslt:top1\n").find("p.csv:2: ") == 0);
  CHECK(complaint(header + "gemm,64\n").find("p.csv:2: expected 7 fields") == 0);
  const std::string row = "gemm,64,64,64,fp16,tn,cublaslt:top1,burst\n";
  CHECK(complaint("op,m,n,k,dtype,layout,config,regim\n" + row)
            .find("p.csv:1: unknown column 'regim'") == 0);
  CHECK(complaint("op,m,n,k,dtype,layout,config,op\n" + row).find("p.csv:1: op: duplicate") == 0);
  CHECK(complaint("op,m,n,k,dtype,layout,config,remark\n" + row).empty());
  // A missing last line end is not an error.
  CHECK(parse_point_list(header + "gemm,64,64,64,fp16,tn,cublaslt:top1", "p.csv").size() == 1);
}

}  // namespace
}  // namespace tilecast
