#include "validate/plan/measure_order.h"

#include <algorithm>

#include "tests/catch.h"

using namespace tilecast;

namespace {

SuitePoint point(i64 side, const std::string& config, Regime regime = Regime::kBurst) {
  SuitePoint made;
  made.point.problem = GemmProblem{{side, side, side}, ElementType::kFp16, Layout::kTn};
  made.point.config = config;
  made.point.regime = regime;
  return made;
}

/// Three problems with cuBLASLt and four configurations of each of two schedules.
std::vector<SuitePoint> example() {
  std::vector<SuitePoint> points;
  for (const i64 side : {512, 1024, 2048}) {
    for (const char* schedule : {"a", "b"}) {
      for (int i = 0; i < 4; ++i) {
        points.push_back(point(side, std::string(schedule) + ":n=" + std::to_string(i)));
      }
    }
    points.push_back(point(side, std::string(kCublasltTop1)));
    points.push_back(point(side, std::string(kCublasltBest)));
  }
  return points;
}

std::vector<std::string> keys(const std::vector<SuitePoint>& points) {
  std::vector<std::string> all;
  for (const SuitePoint& p : points) {
    all.push_back(key_of(p.point));
  }
  return all;
}

std::vector<std::string> sorted(std::vector<std::string> list) {
  std::sort(list.begin(), list.end());
  return list;
}

const auto kNoneDone = [](const Point&) { return std::size_t{0}; };

}  // namespace

TEST_CASE("Both orders contain every point once, and depend on the seed only") {
  const std::vector<SuitePoint> points = example();
  for (const auto order : {shuffled_in_problems, telling_first}) {
    const std::vector<std::string> once = keys(order(points, 1));
    CHECK(sorted(once) == sorted(keys(points)));
    CHECK(once == keys(order(points, 1)));
    CHECK(once != keys(order(points, 2)));
  }
}

TEST_CASE("Without a budget each problem is prepared once, and its points are shuffled") {
  const std::vector<SuitePoint> points = example();
  const std::vector<SuitePoint> order = shuffled_in_problems(points, 1);
  for (std::size_t i = 0; i < order.size(); ++i) {  // each problem has ten points
    CHECK(std::get<GemmProblem>(order[i].point.problem).shape ==
          std::get<GemmProblem>(points[i].point.problem).shape);
  }
  CHECK(keys(order) != keys(points));
}

TEST_CASE("With a budget every problem's baseline and each schedule's first come before the rest") {
  const std::vector<SuitePoint> order = telling_first(example(), 1);
  // The first pass: 3 problems x (cuBLASLt's two, a:n=0, b:n=0).
  std::vector<std::string> first;
  for (int i = 0; i < 12; ++i) {
    const Point& p = order[static_cast<std::size_t>(i)].point;
    first.push_back(p.config);
    CHECK((is_cublaslt(p.config) || p.config.ends_with("n=0")));
  }
  CHECK(std::count(first.begin(), first.end(), "a:n=0") == 3);
  CHECK(std::count(first.begin(), first.end(), kCublasltBest) == 3);
  for (int i = 12; i < 18; ++i) {  // the second pass: 3 problems x 2 schedules
    CHECK(order[static_cast<std::size_t>(i)].point.config.ends_with("n=1"));
  }
  CHECK(order.back().point.config.ends_with("n=3"));
}

TEST_CASE("Regimes of a problem are separate in the informative order") {
  std::vector<SuitePoint> points = {point(512, "a:n=0"), point(512, "a:n=1"),
                                    point(512, "a:n=0", Regime::kSustained),
                                    point(512, "a:n=1", Regime::kSustained)};
  const std::vector<SuitePoint> order = telling_first(points, 1);
  CHECK(order[0].point.config == "a:n=0");
  CHECK(order[1].point.config == "a:n=0");
}

TEST_CASE("Rounds alternate in direction, and omit finished points") {
  const std::vector<SuitePoint> two = {point(512, "a:n=0"), point(512, "b:n=0")};
  const auto configs = [](const std::vector<SuitePoint>& points) {
    std::string text;
    for (const SuitePoint& p : points) {
      text += p.point.config.substr(0, 1) + std::to_string(p.round) + " ";
    }
    return text;
  };
  CHECK(configs(in_rounds(two, 3, kNoneDone)) == "a1 b1 b2 a2 a3 b3 ");
  // interrupted after b2 and before a2
  CHECK(configs(in_rounds(two, 3, [](const Point& p) {
          return p.config[0] == 'a' ? std::size_t{1} : std::size_t{2};
        })) == "a2 a3 b3 ");
  CHECK(configs(in_rounds(two, 1, kNoneDone)) == "a0 b0 ");
  CHECK(in_rounds(two, 1, [](const Point&) { return std::size_t{1}; }).empty());
}

TEST_CASE("Times of finished points scale the estimates of their regime") {
  const std::vector<SuitePoint> points =
      in_rounds({point(512, "a:n=0"), point(512, "a:n=1"), point(512, "a:n=0", Regime::kSustained)},
                1, kNoneDone);
  RunCosts costs(points, [](const Point&) { return Seconds{1e-4}; });
  const Seconds burst = costs.expected(1), sustained = costs.expected(2);
  CHECK(burst.value > 0.1);          // three blocks of 32 ms idle and 7 ms of launches
  CHECK(sustained.value > 1.25);     // 250 ms of warm-up load and 1 s measured
  CHECK(costs.expected(0) > burst);  // its problem is prepared too
  CHECK(costs.expected_from(1).value == Approx(burst.value + sustained.value));
  CHECK(costs.expected_from(3).value == 0);
  costs.note(1, burst * 2);
  CHECK(costs.expected(1).value == Approx(burst.value * 2));
  CHECK(costs.expected(2).value == Approx(sustained.value));
  CHECK(costs.expected_from(1).value == Approx(burst.value * 2 + sustained.value));
}
