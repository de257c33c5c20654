#include "validate/compare/join.h"

#include "tests/catch.h"
#include "tests/error_message.h"
#include "validate/compare/example_points.h"

namespace tilecast {
namespace {

std::string message_of(const std::vector<Measurement>& rows) {
  return ERROR_TEXT(join_example(rows, {}));
}

TEST_CASE("Every row counts once: as point, baseline, excluded, unmatched or repeated") {
  Measurement wrong = example_row(3, Seconds{1});
  wrong.verified = false;
  Measurement failed = example_row(4, Seconds{1});
  failed.status = Status::kFailed;
  failed.time.reset();
  Measurement unknown = example_row(5, Seconds{1});
  unknown.point.config = "hand_waving:tile=1";
  Measurement loose = example_row(5, Seconds{1});
  // stages=05 is not canonical.
  loose.point.config.insert(loose.point.config.find("stages=") + 7, "0");
  const JoinedData data = join_example(
      {example_row(1, Seconds{1}), example_row(2, Seconds{2}), example_row(2, Seconds{3}), wrong,
       failed, unknown, loose, example_row(9, Seconds{1}),
       example_cublaslt_row(kCublasltTop1, Seconds{5}),
       example_cublaslt_row(kCublasltBest, Seconds{4})},
      {{1, Seconds{1}}, {2, Seconds{1}}, {3, Seconds{1}}, {4, Seconds{1}}, {5, Seconds{1}}});
  CHECK(data.rows == 10);
  CHECK(data.points == 2);
  CHECK(data.cublaslt == 2);
  CHECK(data.excluded == 2);
  // An unknown schedule, a configuration that is not canonical, and one that the predictor rejects.
  CHECK(data.unmatched == 3);
  CHECK(data.repeated == 1);
  REQUIRE(data.groups.size() == 1);
  const JoinedGroup& group = data.groups.front();
  REQUIRE(group.points.size() == 2);
  CHECK(group.baseline(kCublasltTop1)->time->median == Seconds{5});
  CHECK(group.baseline(kCublasltBest)->time->median == Seconds{4});
  CHECK(group.best_measured_time() == Seconds{1});  // the later row of stages=2, with 3 s, is used
  CHECK(std::max(group.points[0].measured_time(), group.points[1].measured_time()) == Seconds{3});
}

TEST_CASE("A row without a prediction reports its place and the reason") {
  const JoinedData data =
      join_example({example_row(1, Seconds{1}), example_row(9, Seconds{1})}, {{1, Seconds{1}}});
  CHECK(data.unmatched_reasons == std::vector<std::string>{"x.csv:3: too many stages"});
}

TEST_CASE("Rows that differ in shape, regime, inputs or L2 state are not compared") {
  std::vector<Measurement> rows(5, example_row(1, Seconds{1}));
  std::get<GemmProblem>(rows[1].point.problem).shape.k = 8192;
  rows[2].point.regime = Regime::kSustained;
  rows[3].point.inputs = Inputs::kZeros;
  rows[4].point.l2_state = L2State::kWarm;
  CHECK(join_example(rows, {{1, Seconds{1}}}).groups.size() == 5);
}

TEST_CASE("Rows of another GPU and files without rows are errors") {
  Measurement other = example_row(1, Seconds{1});
  other.context.gpu = "h100_pcie";
  CHECK(message_of({other}) ==
        "x.csv:2: gpu: expected a row measured on h200_sxm, got 'h100_pcie'");
  CHECK(message_of({}) == "x.csv: no measured rows");
}

}  // namespace
}  // namespace tilecast
