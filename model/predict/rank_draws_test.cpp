#include "model/predict/rank_draws.h"

#include <algorithm>

#include "model/gemm/problem/group_rows.h"
#include "model/gemm/problem/routing.h"
#include "tests/catch.h"
#include "tests/h200.h"

namespace tilecast {
namespace {

std::vector<GemmProblem> draws_of(const Routing& routing, i64 draws) {
  const GemmProblem product{
      .shape = {0, 512, 1024}, .dtype = ElementType::kBf16, .layout = Layout::kTn};
  std::vector<GemmProblem> problems;
  for (const std::vector<i64>& rows : drawn_rows(routing, draws)) {
    problems.push_back(in_groups(product, rows));
  }
  return problems;
}

Ranking rank(const std::vector<GemmProblem>& draws, Method method, unsigned threads = 0) {
  return rank_draws(calibrated_h200(), draws, {}, {}, Regime::kBurst, Inputs::kNormal, 4,
                    {.method = method, .threads = threads});
}

}  // namespace

TEST_CASE("A ranking over random routings is by their mean time") {
  const auto draws = draws_of({.experts = 8, .tokens = 2000, .top_k = 2, .zipf = 1.1}, 4);
  const Ranking ranking = rank(draws, Method::kAnalytic);
  const std::vector<double>& times = ranking.predictions.front().of_draws;
  const auto median = std::ranges::find(draws, std::get<GemmProblem>(ranking.problem));
  REQUIRE(median != draws.end());
  const double time = times[static_cast<std::size_t>(median - draws.begin())];
  // two of them may take equally long
  const auto half = static_cast<std::ptrdiff_t>(times.size() / 2);
  CHECK(std::ranges::count_if(times, [&](double other) { return other < time; }) <= half);
  CHECK(std::ranges::count_if(times, [&](double other) { return other <= time; }) > half);
  CHECK(std::ranges::is_sorted(ranking.predictions, {}, &Prediction::time));
  for (const Prediction& p : ranking.predictions) {
    Seconds sum{};
    REQUIRE(p.of_draws.size() == draws.size());
    for (std::size_t i = 0; i < draws.size(); ++i) {
      const Seconds own = predict_config(calibrated_h200(), draws[i], p.config, Regime::kBurst,
                                         Inputs::kNormal, Method::kAnalytic)
                              .time;
      CHECK((p.time * p.of_draws[i]).value == Approx(own.value));
      sum += own;
    }
    CHECK(p.time.value == Approx(sum.value / 4));
    CHECK(p.tflops == Approx(tensor_flops(draws.front()) / p.time.value * 1e-12));
  }
}

TEST_CASE("With one draw the first is the first of a ranking of its groups") {
  const auto draws = draws_of({.experts = 8, .tokens = 2000, .zipf = 1.1}, 1);
  const Ranking ranking = rank(draws, Method::kSimulated);
  const Prediction& best = ranking.predictions.front();
  CHECK(best.method == Method::kSimulated);
  CHECK(best.of_draws == std::vector<double>{1});
  const Prediction alone = predict_config(calibrated_h200(), draws.front(), best.config,
                                          Regime::kBurst, Inputs::kNormal);
  CHECK(best.time.value == Approx(alone.time.value));
  CHECK(best.interval_high.value == Approx(alone.interval_high.value));
  const Ranking of_groups =
      rank_candidates(calibrated_h200(), draws.front(), {}, Regime::kBurst, Inputs::kNormal, 1);
  CHECK(best.time.value <= of_groups.predictions.front().time.value * 1.02);
}

TEST_CASE("Draws support fp8") {
  std::vector<GemmProblem> draws = draws_of({.experts = 8, .tokens = 2000, .zipf = 1.1}, 2);
  for (GemmProblem& draw : draws) {
    draw.dtype = ElementType::kE4m3;
  }
  CHECK(rank(draws, Method::kSimulated).predictions.front().method == Method::kSimulated);
}

TEST_CASE("A ranking over random routings does not depend on the threads") {
  const auto draws = draws_of({.experts = 16, .tokens = 1000, .zipf = 0.8}, 3);
  const Ranking one = rank(draws, Method::kSimulated, 1), two = rank(draws, Method::kSimulated, 2);
  REQUIRE(one.predictions.size() == two.predictions.size());
  CHECK(one.predictions.front().config == two.predictions.front().config);
  CHECK(one.predictions.front().time == two.predictions.front().time);
}

}  // namespace tilecast
