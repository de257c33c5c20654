#include "validate/record/point_group.h"

#include <set>

#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/problem_text.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

Point gemm(GemmShape shape) {
  return {.problem = GemmProblem{shape, ElementType::kE4m3, Layout::kTn}, .config = "a"};
}

TEST_CASE("Every field of a point except the configuration distinguishes groups") {
  std::vector<Point> points(16, gemm({512, 512, 1024}));
  points[1].problem = StreamProblem{512, 512, ElementType::kE4m3};
  std::get<GemmProblem>(points[2].problem).shape.k = 2048;
  std::get<GemmProblem>(points[3].problem).batch.products = 2;
  std::get<GemmProblem>(points[4].problem).batch = {.products = 2, .one_b = true};
  points[5].problem = in_groups(std::get<GemmProblem>(points[5].problem), {256, 256});
  std::get<GemmProblem>(points[6].problem).dtype = ElementType::kE5m2;
  points[7].problem = with_c_type(std::get<GemmProblem>(points[7].problem), ElementType::kFp16);
  std::get<GemmProblem>(points[8].problem).layout = Layout::kNn;
  std::get<GemmProblem>(points[9].problem).epilogue.add(step<Gelu>());
  points[10].regime = Regime::kSustained;
  points[11].inputs = Inputs::kZeros;
  std::get<GemmProblem>(points[12].problem).leading.b = 2048;
  std::get<GemmProblem>(points[13].problem).accumulate = Accumulate::kExact;
  std::get<GemmProblem>(points[14].problem).epilogue.add(step<Residual>());
  std::get<GemmProblem>(points[15].problem).epilogue.add(step<Amax>());
  std::set<GroupKey> keys;
  for (const Point& point : points) {
    keys.insert(group_key(point));
  }
  CHECK(keys.size() == points.size());
  Point other = points[0];
  other.config = "b";
  CHECK(group_key(other) == group_key(points[0]));
  other.l2_state = L2State::kWarm;
  CHECK(!keys.contains(group_key(other)));
}

TEST_CASE("Groups are ordered by dimensions as numbers") {
  CHECK(group_key(gemm({512, 512, 512})) < group_key(gemm({1024, 512, 512})));
}

TEST_CASE("A time is near the best up to 1.2 times its own group's best") {
  BestTimes best;
  const GroupKey one = group_key(gemm({512, 512, 512})), other = group_key(gemm({512, 512, 1024}));
  best.note(one, Seconds{7});
  best.note(one, Seconds{5});
  best.note(one, Seconds{6});
  best.note(other, Seconds{1});
  CHECK(best.is_near(one, Seconds{6}));  // 5 x 1.2
  CHECK(!best.is_near(one, Seconds{6.001}));
}

}  // namespace
}  // namespace tilecast
