#include "validate/compare/byte_error.h"

#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "validate/compare/example_points.h"

namespace tilecast {
namespace {

constexpr const char* kIntake = "l1tex__m_xbar2l1tex_read_bytes.sum";
constexpr const char* kShared = "l1tex__m_xbar2l1tex_read_bytes_mem_dshared.sum";
constexpr const char* kDramRead = "dram__bytes_read.sum";

ChipCounters gh100() { return load_chip_counters(config_folder(), "GH100").value(); }

/// Sets the counters from which L2-to-SM bytes are computed; the others are 0.
Measurement counted_row(i32 stages, double intake, double shared, double dram_read) {
  Measurement row = example_row(stages, Seconds{1});
  for (const CounterSum::Term& term : gh100().l2_to_sm_sum.terms) {
    row.counters[term.metric] = 0;
  }
  row.counters[kIntake] = intake;
  row.counters[kShared] = shared;
  row.counters[kDramRead] = dram_read;
  return row;
}

/// Predicts 210 and 42 bytes for stages=1, 90 and 9 for all other configurations.
Prediction predict_bytes(const AnyProblem&, const AnyConfig& config, Regime, Inputs) {
  const bool first = std::get<KernelConfig>(config).tiling.stages == 1;
  Prediction p{};
  p.config = config;
  p.l2_to_sm = Bytes{first ? 210.0 : 90.0};
  p.dram_read = Bytes{first ? 42.0 : 9.0};
  p.l2_hit_rate = 1 - p.dram_read / p.l2_to_sm;  // hit rates of 0.8 and 0.9
  return p;
}

ByteFigures figures_of(const std::vector<Measurement>& rows) {
  return byte_figures(gh100(), join_points({example_file(rows)}, predict_bytes, {"h200_sxm"}));
}

TEST_CASE("Predicted bytes are compared with L2 and DRAM counters, hit rates by their difference") {
  // 300 - 100 = 200 and 100 bytes were delivered; 50 (hit rate 0.75) and 10 (0.9) were read. One
  // row has no counters.
  const ByteFigures f = figures_of(
      {counted_row(1, 300, 100, 50), counted_row(2, 100, 0, 10), example_row(3, Seconds{1})});
  CHECK(f.l2_to_sm->points == 2);
  CHECK(f.l2_to_sm->mape == Approx(0.075));  // 210 against 200, 90 against 100
  CHECK(f.l2_to_sm->bias == Approx(-0.025));
  CHECK(f.dram_read->mape == Approx(0.13));  // 42 against 50, 9 against 10
  CHECK(f.l2_hit->points == 2);
  CHECK(f.l2_hit->mean_error == Approx(0.025));  // 0.8 against 0.75, 0.9 against 0.9
  CHECK(f.l2_hit->bias == Approx(0.025));
}

TEST_CASE("A count of zero has no relative error, and hit rates need both counters") {
  const ByteFigures f = figures_of({counted_row(2, 100, 0, 0)});
  CHECK_FALSE(f.dram_read.has_value());
  CHECK(f.l2_hit->mean_error == Approx(0.1));  // predicted is 0.9, while all counts are hits
  CHECK(f.l2_hit->bias == Approx(-0.1));
  Measurement row = counted_row(2, 100, 0, 10);
  row.counters.erase(kDramRead);
  CHECK(figures_of({row}).l2_to_sm.has_value());
  CHECK_FALSE(figures_of({row}).l2_hit.has_value());
  row.counters.erase(kShared);
  CHECK_FALSE(figures_of({row}).l2_to_sm.has_value());
}

}  // namespace
}  // namespace tilecast
