#include "kernels/jit/group_checker.h"

#include <vector>

#include "model/gemm/problem/group_rows.h"
#include "tests/catch.h"
#include "tests/gpu.h"
#include "tests/temporary_folder.h"
#include "tests/whole_numbers.h"

namespace tilecast {
namespace {

GemmProblem along_m(std::vector<i64> rows, i64 capacity) {
  return in_groups({.shape = {0, 64, 64}, .dtype = ElementType::kBf16, .layout = Layout::kTn},
                   GroupRows::of(std::move(rows), capacity));
}

}  // namespace

TEST_CASE("The group checker compiles for each architecture that has kernels") {
  CHECK(compile_kernel(group_check_source("sm_90a")).usable());
}

TEST_CASE("The first invalid group is reported with its valid range", "[gpu]") {
  gpu_or_skip();
  const TemporaryFolder folder;
  CubinCache cache(folder / "cache");
  const auto why = [&](const GemmProblem& problem, const std::vector<i32>& numbers) {
    DeviceArray on_device(numbers.size() * sizeof(i32));
    on_device.fill(numbers);
    return GroupChecker(cache, problem)
        .why_wrong(static_cast<const i32*>(on_device.get()), nullptr);
  };
  const GemmProblem groups = along_m({100, 100, 100}, 0), masked = along_m({100, 100, 100}, 100);
  const GemmProblem along_k = in_groups_of_k(
      {.shape = {64, 64, 0}, .dtype = ElementType::kBf16, .layout = Layout::kNt}, {100, 200});
  CHECK(why(groups, {0, 300, 300}) == "");
  CHECK(why(groups, {10, 20, 30}) == "");
  CHECK(why(groups, {-1, 20, 10}) == "group 0 ends at row -1: expected 0 to 300");
  CHECK(why(groups, {200, 100, 301}) == "group 1 ends at row 100: expected 200 to 300");
  CHECK(why(groups, {200, 200, 301}) == "group 2 ends at row 301: expected 200 to 300");
  CHECK(why(masked, {100, 0, 7}) == "");
  CHECK(why(masked, {100, 101, -7}) == "group 1 has 101 rows: expected 0 to 100");
  CHECK(why(masked, {100, 0, -7}) == "group 2 has -7 rows: expected 0 to 100");
  CHECK(why(along_k, {300, 300}) == "");
  CHECK(why(along_k, {300, 299}) == "group 1 ends at K 299: expected 300 to 300");
  // With more groups than threads, the first of several invalid groups is reported.
  std::vector<i64> rows(1000, 1);
  std::vector<i32> ends(1000);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    ends[i] = static_cast<i32>(i) + 1;
  }
  const GemmProblem many = along_m(rows, 0);
  CHECK(why(many, ends) == "");
  ends[700] = 5;
  ends[900] = 2000;
  CHECK(why(many, ends) == "group 700 ends at row 5: expected 700 to 1000");
}

}  // namespace tilecast
