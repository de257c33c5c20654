#include "model/rank/why_impossible.h"

#include <limits>

#include "model/base/error.h"
#include "model/predict/predict.h"
#include "model/predict/predict_op.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/h200.h"

namespace tilecast {
namespace {

const GemmProblem kProblem{{4096, 4096, 4096}, ElementType::kFp16, Layout::kTn};
LeastWork least() { return least_work(calibrated_h200(), kProblem); }

const Prediction& predicted() {
  static const Ranking ranking = rank_candidates(calibrated_h200(), kProblem, {}, Regime::kBurst,
                                                 Inputs::kNormal, 1, {.method = Method::kAnalytic});
  return ranking.predictions.front();
}

template <class Change>
std::string why_of(const Change& change) {
  Prediction p = predicted();
  change(p);
  return why_impossible(calibrated_h200(), least(), p);
}

TEST_CASE("A prediction of the model passes the check") {
  CHECK(why_impossible(calibrated_h200(), least(), predicted()).empty());
  CHECK_NOTHROW(require_possible(calibrated_h200(), kProblem, least(), predicted()));
}

TEST_CASE("Each physically impossible value is named") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  CHECK(contains(why_of([](Prediction& p) { p.time = {kNan}; }), "time nan is not positive"));
  CHECK(contains(why_of([](Prediction& p) { p.power = {0}; }), "power 0 is not positive"));
  CHECK(contains(why_of([](Prediction& p) { p.interval_high = p.time * 0.9; }), "interval_high"));
  CHECK(contains(why_of([](Prediction& p) { p.interval_low = p.time * 1.1; }), "interval_low"));
  // 2 x 4096^3 FLOPs at 132 x 4096 FLOPs per cycle take 254,200 cycles.
  CHECK(contains(
      why_of([](Prediction& p) { p.time = p.interval_low = time_of(Cycles{250e3}, p.sm_clock); }),
      "hard bound"));
  CHECK(contains(why_of([](Prediction& p) { p.tflops *= 1.01; }), "tflops"));
  CHECK(contains(why_of([](Prediction& p) { p.shares.dram = 1.01; }),
                 "share of dram 1.01 is above one"));
  CHECK(
      contains(why_of([](Prediction& p) { p.l2_hit_rate = -0.01; }), "l2_hit_rate -0.01 is below"));
  // A and B have 2 x 4096 x 4096 elements of 2 bytes, C has half of them.
  CHECK(
      contains(why_of([](Prediction& p) { p.dram_read = {67e6}; }), "dram_read 67000000 is below"));
  CHECK(why_of([](Prediction& p) { p.dram_read = {67108864}; }).empty());
  CHECK(contains(why_of([](Prediction& p) { p.dram_write = {-70.101e6}; }), "dram_write"));
  // The highest measured rate is 4.584 TB/s.
  CHECK(contains(why_of([](Prediction& p) { p.dram_read = Bytes{4.6e12 * p.time.value}; }),
                 "DRAM rate"));
}

TEST_CASE("An impossible prediction is an internal error that names problem and configuration") {
  Prediction p = predicted();
  p.dram_write = {0};
  const std::string message =
      ERROR_MESSAGE(require_possible(calibrated_h200(), kProblem, least(), p));
  for (const std::string& part : {std::string("1 internal error"), to_text(kProblem),
                                  to_text(p.config), std::string("dram_write 0 is below")}) {
    CAPTURE(part);
    CHECK(contains(message, part));
  }
}

}  // namespace
}  // namespace tilecast
