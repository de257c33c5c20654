// Runs in the repository root.
#include "validate/compare/library_times.h"

#include "model/base/file.h"
#include "model/predict/roofline.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

TEST_CASE("Forecasts are compared with a library's times by size, next to the fallback") {
  const TemporaryFolder folder;
  const std::string rows = (folder / "rows.csv").string();
  write_file(rows,
             "gpu,m,n,k,median_us,min_us\nb200_sxm,512,512,512,5,4\n"
             "b200_sxm,8192,8192,8192,800,700\nh100_sxm,512,512,512,6,5\n");
  const LibraryJudgement judged = judge_library(rows, "b200", 0);
  REQUIRE(judged.cases.size() == 2);  // the other row belongs to another GPU
  REQUIRE(judged.sizes.size() == 3);  // no problem of 20 to 200 us
  CHECK(judged.sizes[0].forecast.points == 2);
  CHECK(judged.sizes[2].size == "above 200 us");

  const LibraryErrors& small = judged.sizes[1];
  const PublicCase& one = judged.cases[0];
  CHECK(small.forecast.bias == Approx(one.predicted.value / 5e-6 - 1));
  CHECK(small.against_fastest.value().bias == Approx(one.predicted.value / 4e-6 - 1));
  CHECK(small.inside_90 == (one.low.value <= 5e-6 && 5e-6 <= one.high.value ? 1 : 0));
  const GpuSpec gpu = load_gpu("b200", true).spec;
  const Seconds roofline = roofline_time(gpu, one.problem).value();
  CHECK(small.fallback.bias == Approx((roofline.value / 0.8 + 3e-6) / 5e-6 - 1));
  CHECK(contains(library_table(judged), "| below 20 us | 1 | "));
  CHECK(library_json(judged)["sizes"][1]["points"] == 1);

  // Six matrices of B of 0.5 MB stay in L2.
  const LibraryJudgement warm = judge_library(rows, "b200", 6);
  CHECK(warm.cases[0].predicted < judged.cases[0].predicted);
  CHECK(warm.cases[0].roofline == judged.cases[0].roofline);
}

TEST_CASE("Rows are found by the GPU's name or its prefix, and min_us is optional") {
  const TemporaryFolder folder;
  const std::string rows = (folder / "rows.csv").string();
  const auto complaint = [&](const std::string& text) {
    write_file(rows, "gpu,m,n,k,median_us\n" + text);
    return ERROR_MESSAGE(judge_library(rows, "b200", 0));
  };
  write_file(rows, "gpu,m,n,k,median_us\nb200,512,512,512,5\nb200_sxm,512,512,512,6\n");
  const LibraryJudgement judged = judge_library(rows, "b200", 0);
  CHECK(judged.cases.size() == 1);
  CHECK(!judged.sizes[0].against_fastest);
  CHECK(complaint("h100_sxm,512,512,512,5\n")
            .ends_with("rows.csv: column gpu: expected rows of b200, got rows of h100_sxm"));
  CHECK(complaint("b200_sxm,1,1,1,5\nb200_pcie,1,1,1,5\n")
            .ends_with("expected rows of b200, got rows of b200_pcie, b200_sxm"));
  CHECK(contains(complaint("b200,512,512,512,-5\n"), "rows.csv:2: median_us"));
}

}  // namespace
}  // namespace tilecast
