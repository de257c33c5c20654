#include "validate/calibrate/design.h"

#include <algorithm>
#include <set>

#include "tests/catch.h"
#include "validate/calibrate/example_rows.h"

namespace tilecast {
namespace {

/// Three configurations of each of six problems.
FitRows example_fit_rows(const GpuSpec& gpu) {
  return fit_rows(gpu, {file_of(example_gemm_rows(gpu, 0, 6, 3, as_predicted))}, 1);
}

}  // namespace

TEST_CASE("Fewer points are the first of more, and all are chosen where more are asked for") {
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  const FitRows rows = example_fit_rows(gpu);
  REQUIRE(rows.rows.size() == 18);
  const std::vector<std::size_t> all = most_informative(gpu, rows, 100);
  CHECK(std::set<std::size_t>(all.begin(), all.end()).size() == 18);
  const std::vector<std::size_t> five = most_informative(gpu, rows, 5);
  REQUIRE(five.size() == 5);
  CHECK(std::equal(five.begin(), five.end(), all.begin()));
  CHECK(most_informative(gpu, rows, 0).empty());
}

TEST_CASE("A point that was chosen makes its copy the least informative one") {
  const GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  FitRows rows = example_fit_rows(gpu);
  const std::size_t first = most_informative(gpu, rows, 1).front();
  rows.rows.push_back(rows.rows[first]);
  const std::size_t copy = rows.rows.size() - 1;
  // Of two equal gains the earlier row is taken; what the copy adds then is at most log 2, while
  // that of any other kernel is more.
  const std::vector<std::size_t> chosen = most_informative(gpu, rows, rows.rows.size());
  CHECK(chosen.back() == copy);
}

}  // namespace tilecast
