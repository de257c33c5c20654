#include "validate/compare/error_parts.h"

#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "validate/compare/example_points.h"

namespace tilecast {
namespace {

TEST_CASE("A size includes its lower bound") {
  CHECK(size_of(Seconds{19.99e-6}) == TimeSize::kUnder20Us);
  CHECK(size_of(Seconds{20e-6}) == TimeSize::kFrom20Us);
  CHECK(size_of(Seconds{99.9e-6}) == TimeSize::kFrom20Us);
  CHECK(size_of(Seconds{100e-6}) == TimeSize::kFrom100Us);
  CHECK(size_of(Seconds{999e-6}) == TimeSize::kFrom100Us);
  CHECK(size_of(Seconds{1e-3}) == TimeSize::kFrom1Ms);
}

/// Measured at 10, 30, 50 and 2000 us and predicted at 11, 33, 35 and 3000: errors of 10, 10, 30
/// and 50 %. Cycles are predicted at 1 GHz and measured at 1.5, so their ratios are two thirds:
/// errors of -0.266667, -0.266667, -0.533333 and 0. Points with an even index are bound by DRAM,
/// the others by the tensor cores.
JoinedData example_data() {
  const Predictor times = predict_times(
      {{1, Seconds{11e-6}}, {2, Seconds{33e-6}}, {3, Seconds{35e-6}}, {4, Seconds{3e-3}}});
  const Predictor with_limiter = [=](const AnyProblem& problem, const AnyConfig& config,
                                     Regime regime, Inputs inputs) {
    Prediction p = times(problem, config, regime, inputs);
    p.limiter =
        std::get<KernelConfig>(config).tiling.stages % 2 == 0 ? Limiter::kDram : Limiter::kTensor;
    return p;
  };
  std::vector<Measurement> rows{example_row(1, Seconds{10e-6}), example_row(2, Seconds{30e-6}),
                                example_row(3, Seconds{50e-6}), example_row(4, Seconds{2e-3})};
  rows[3].cycles.reset();
  return join_points({example_file(rows)}, with_limiter, {"h200_sxm"});
}

TEST_CASE("Errors are split by bottleneck") {
  const std::map<Limiter, PartFigures> parts = error_by_limiter(example_data());
  REQUIRE(parts.size() == 2);
  const PartFigures& dram = parts.at(Limiter::kDram);
  CHECK(dram.points == 2);
  CHECK(dram.time_mape == Approx(0.3));         // time errors 0.1 and 0.5
  CHECK(*dram.cycles_mape == Approx(0.8 / 3));  // only one has measured cycles
  const PartFigures& tensor = parts.at(Limiter::kTensor);
  CHECK(tensor.time_mape == Approx(0.2));     // time errors 0.1 and 0.3
  CHECK(*tensor.cycles_mape == Approx(0.4));  // cycle errors 0.266667 and 0.533333
}

TEST_CASE("Each size has its own mean and median, with cycles only if measured") {
  const std::map<TimeSize, PartFigures> parts = error_by_size(example_data());
  REQUIRE(parts.size() == 3);
  CHECK(parts.at(TimeSize::kUnder20Us).time_median == Approx(0.1));
  CHECK(parts.at(TimeSize::kFrom20Us).points == 2);
  CHECK(parts.at(TimeSize::kFrom20Us).time_median == Approx(0.2));
  CHECK(*parts.at(TimeSize::kFrom20Us).cycles_median == Approx(0.4));
  CHECK(parts.at(TimeSize::kFrom1Ms).time_mape == Approx(0.5));
  CHECK_FALSE(parts.at(TimeSize::kFrom1Ms).cycles_mape.has_value());
}

TEST_CASE("The median of a schedule is not its mean") {
  // pipelined has the odd numbers of stages, warp_specialized the even ones; a third error
  // separates median and mean.
  const JoinedData data = join_example(
      {example_row(1, Seconds{10}), example_row(3, Seconds{10}), example_row(5, Seconds{10})},
      {{1, Seconds{11}}, {3, Seconds{12}}, {5, Seconds{16}}});
  const PartFigures part = error_by_schedule(data).at(Schedule::kPipelined);
  CHECK(part.points == 3);
  CHECK(part.time_mape == Approx(0.3));
  CHECK(part.time_median == Approx(0.2));
}

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
