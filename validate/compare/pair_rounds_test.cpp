#include "validate/compare/pair_rounds.h"

#include "tests/catch.h"
#include "validate/record/example_measurement.h"

namespace tilecast {
namespace {

MeasurementFile file_of(const std::vector<Measurement>& rows) {
  MeasurementFile file;
  for (const Measurement& m : rows) {
    file.rows.push_back({0, m});
  }
  return file;
}

Measurement row(const std::string& config, i64 round, double microseconds) {
  Measurement m = example_measurement(config, Seconds{microseconds * 1e-6});
  m.round = round;
  return m;
}

TEST_CASE("A pair's ratio is taken within each round, despite drift between rounds") {
  // b is 2 % slower than a in every round, while both times double from the first round to the
  // third.
  const std::vector<PairedConfigs> pairs =
      pair_rounds(file_of({row("a:x=1", 1, 100), row("b:x=1", 1, 102), row("b:x=1", 2, 153),
                           row("a:x=1", 2, 150), row("a:x=1", 3, 200), row("b:x=1", 3, 204)}));
  REQUIRE(pairs.size() == 1);
  CHECK(pairs[0].first.config == "a:x=1");
  CHECK(pairs[0].other.config == "b:x=1");
  CHECK(pairs[0].rounds == 3);
  CHECK(pairs[0].time.median == Approx(1.02));
  CHECK(pairs[0].time.q3 - pairs[0].time.q1 == Approx(0).margin(1e-9));
  CHECK(to_text(pairs[0]) ==
        "4096x4096x4096 fp16 tn burst: b:x=1 / a:x=1: time 1.0200 (1.0200 to 1.0200), cycles "
        "1.0200 (1.0200 to 1.0200) in 3 rounds");
}

TEST_CASE("Rounds with only one of the two, and unverified rows, make no pair") {
  Measurement wrong = row("b:x=1", 1, 50);
  wrong.status = Status::kWrong;
  CHECK(pair_rounds(file_of({row("a:x=1", 1, 100), wrong, row("b:x=1", 2, 100)})).empty());
  CHECK(pair_rounds(file_of({example_measurement("a:x=1", Seconds{1e-4})})).empty());
}

TEST_CASE("Each problem and regime has its own pairs") {
  Measurement other = row("b:x=1", 1, 100);
  other.point.regime = Regime::kSustained;
  CHECK(pair_rounds(file_of({row("a:x=1", 1, 100), other})).empty());
  CHECK(pair_rounds(file_of({row("a:x=1", 1, 100), row("b:x=1", 1, 90), row("c:x=1", 1, 80)}))
            .size() == 2);
}

}  // namespace
}  // namespace tilecast
