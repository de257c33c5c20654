#include "validate/compare/validation.h"

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/catch.h"
#include "tests/error_message.h"
#include "validate/compare/example_points.h"
#include "validate/compare/recorded_error.h"

namespace tilecast {
namespace {

GpuSpec bare_gpu() {
  GpuSpec gpu{};
  gpu.name = "h200_sxm";
  return gpu;
}

/// Three kernels were measured at 10, 11 and 20 us and 1.5 GHz, and predicted at 11, 10 and 30 us
/// and 1 GHz. The time errors are +10 %, -1/11 and +50 %; the cycle errors are two thirds of these
/// ratios, minus 1.
Validation example_validation() {
  const JoinedData data = join_example(
      {example_row(1, Seconds{10e-6}), example_row(2, Seconds{11e-6}),
       example_row(4, Seconds{20e-6}), example_cublaslt_row(kCublasltTop1, Seconds{8e-6}),
       example_cublaslt_row(kCublasltBest, Seconds{6e-6})},
      {{1, Seconds{11e-6}}, {2, Seconds{10e-6}}, {4, Seconds{30e-6}}});
  return validate(bare_gpu(), false, data);
}

TEST_CASE("Errors of time, cycles and clock are reported separately") {
  const Validation v = example_validation();
  CHECK(v.time.at(Regime::kBurst).mape == Approx((0.1 + 1.0 / 11 + 0.5) / 3));
  CHECK(v.time.at(Regime::kBurst).bias == Approx((0.1 - 1.0 / 11 + 0.5) / 3));
  CHECK(v.clock->error.mape == Approx(1.0 / 3));  // 1 GHz instead of 1.5 GHz for each point
  // Ratios 1.1, 10/11, 1.5 times 2/3: errors -0.26667, -0.39394, 0.
  CHECK(v.cycles->mape == Approx((0.266667 + 0.393939 + 0) / 3).epsilon(1e-5));
  CHECK(v.time.count(Regime::kSustained) == 0);
}

TEST_CASE("Rank correlation is over all, and over those within 20 % of the best") {
  const Validation v = example_validation();
  const RankFigures& rank = v.rank.at(Regime::kBurst);
  CHECK(rank.shapes == 1);
  CHECK(rank.kendall == Approx(1.0 / 3));        // two of three pairs in order
  CHECK(rank.spearman == Approx(0.5));           // 1 - 6 * 2 / (3 * 8)
  CHECK(*rank.kendall_near_best == Approx(-1));  // 10 and 11 us are swapped
  CHECK_FALSE(v.clock->kendall.has_value());     // all measured clocks are equal
}

TEST_CASE("Errors of cycles near the best time are reported separately") {
  // Figures for 10 and 11 us, because 20 us is not within 20 % of 10: mean (0.266667 + 0.393939) /
  // 2, 90th percentile 0.393939 - 0.1 * 0.127273.
  const Validation v = example_validation();
  CHECK(v.cycles_near_best->points == 2);
  CHECK(v.cycles_near_best->mape == Approx(0.330303).epsilon(1e-5));
  CHECK(v.cycles_near_best->p90 == Approx(0.381212).epsilon(1e-5));
  CHECK(to_json(v)["cycles_near_best"]["mape"] == 0.330303);
}

/// Validation of one shape whose configurations have these clocks in GHz.
Validation clocks_validation(const std::vector<double>& measured,
                             const std::vector<double>& predicted) {
  std::vector<Measurement> rows;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    rows.push_back(example_row(static_cast<i32>(i) + 1, Seconds{1e-5}));
    rows.back().sm_clock = Hertz{measured[i] * 1e9};
  }
  const Predictor clocks = [&](const AnyProblem&, const AnyConfig& config, Regime, Inputs) {
    Prediction p{};
    p.config = config;
    p.time = p.closed_form_time = Seconds{1e-5};
    const i32 stages = std::get<KernelConfig>(config).tiling.stages;
    p.sm_clock = Hertz{predicted.at(static_cast<std::size_t>(stages) - 1) * 1e9};
    return p;
  };
  return validate(bare_gpu(), false, join_points({example_file(rows)}, clocks, {"h200_sxm"}));
}

TEST_CASE("Only clocks that differ by more than 2 % must be in order") {
  // 1.5 and 1.52 are only 1.3 % apart. 1.5 and 1.6 are predicted in the wrong order.
  const Validation v = clocks_validation({1.5, 1.52, 1.6}, {1.4, 1.3, 1.35});
  CHECK(v.clock->pairs == 2);
  CHECK(*v.clock->pairs_ordered == Approx(0.5));
  CHECK(to_json(v)["clock"]["pairs_ordered"] == 0.5);
  // Equal predictions are not in order.
  CHECK(*clocks_validation({1.5, 1.6}, {1.4, 1.4}).clock->pairs_ordered == 0);
  CHECK_FALSE(clocks_validation({1.5, 1.529}, {1.4, 1.5}).clock->pairs_ordered.has_value());
  CHECK(clocks_validation({1.5, 1.531}, {1.4, 1.5}).clock->pairs_ordered == 1);
}

TEST_CASE("Picks are reported with their baselines") {
  const Validation v = example_validation();
  CHECK(v.pick.at(Regime::kBurst).at(1).geomean == Approx(10.0 / 11));
  // With three configurations, top 3 would be all of them.
  CHECK(!v.pick.at(Regime::kBurst).contains(3));
  CHECK(v.baselines.closed_form->geomean == Approx(10.0 / 11));
  CHECK(v.baselines.random->geomean == Approx((1 + 10.0 / 11 + 0.5) / 3));
  CHECK(v.baselines.fixed_tiling->geomean == Approx(1));
  CHECK(v.baselines.cublaslt_top1_of_best->geomean == Approx(6.0 / 8));
  CHECK(v.baselines.cublaslt_top1_of_ours->geomean == Approx(10.0 / 8));
  CHECK(v.baselines.cublaslt_aligned->geomean == Approx(10.0 / 8));
  CHECK_FALSE(v.baselines.cublaslt_odd.has_value());
  CHECK_FALSE(v.baselines.roofline_mape.has_value());  // a GPU without sections has no rates
}

TEST_CASE("The fixed tiling is that of the training set if there is one") {
  // Config 4 takes 20 us, the best 10, and the top-1 pick 11.
  const JoinedData data =
      join_example({example_row(1, Seconds{10e-6}), example_row(2, Seconds{11e-6}),
                    example_row(4, Seconds{20e-6})},
                   {{1, Seconds{11e-6}}, {2, Seconds{10e-6}}, {4, Seconds{30e-6}}});
  const Validation v =
      validate(bare_gpu(), false, data, {.fixed_config = to_text(example_config(4))});
  CHECK(v.baselines.fixed_tiling->geomean == Approx(0.5));
  CHECK(to_json(v)["baselines"]["fixed_tiling"]["chosen_on"] == "fit");
  CHECK(to_json(example_validation())["baselines"]["fixed_tiling"]["chosen_on"] == "these");
  const Validation none = validate(bare_gpu(), false, data, {.fixed_config = ""});
  CHECK_FALSE(none.baselines.fixed_tiling.has_value());
}

TEST_CASE("Coverage counts times inside the interval, edges included") {
  // The intervals are +-10 %: 9.9..12.1 contains 10; 9..11 contains 11; 27..33 does not contain 20.
  CHECK(example_validation().interval->coverage_90 == Approx(2.0 / 3));
  CHECK(example_validation().interval->median_width == Approx(0.2));
}

TEST_CASE("Each schedule has its own error") {
  const Validation v = example_validation();
  CHECK(v.by_schedule.at(Schedule::kPipelined).points == 1);
  CHECK(v.by_schedule.at(Schedule::kPipelined).time_mape == Approx(0.1));
  CHECK(v.by_schedule.at(Schedule::kWarpSpecialized).points == 2);
  CHECK(v.by_schedule.at(Schedule::kWarpSpecialized).time_mape == Approx((1.0 / 11 + 0.5) / 2));
}

TEST_CASE("The picks by cycles and by time can differ") {
  const Predictor slow_clock_first = [](const AnyProblem&, const AnyConfig& config, Regime,
                                        Inputs) {
    Prediction p{};
    p.config = config;
    const bool first = std::get<KernelConfig>(config).tiling.stages == 1;
    p.cycles = Cycles{first ? 900.0 : 1000.0};
    p.sm_clock = Hertz{first ? 1e9 : 1.5e9};
    p.time = time_of(p.cycles, p.sm_clock);
    p.closed_form_time = Seconds{first ? 1.0 : 2.0};
    return p;
  };
  const JoinedData data =
      join_points({example_file({example_row(1, Seconds{4}), example_row(2, Seconds{3})})},
                  slow_clock_first, {"h200_sxm"});
  const Validation v = validate(bare_gpu(), false, data);
  CHECK(v.pick.at(Regime::kBurst).at(1).geomean == Approx(1));
  CHECK(v.baselines.closed_form->geomean == Approx(0.75));
  CHECK(v.baselines.pick_by_cycles->geomean == Approx(0.75));
}

TEST_CASE("The JSON has a key per figure, and none for figures that were not measured") {
  const auto json = to_json(example_validation());
  CHECK(json["schema"] == 1);
  CHECK(json["gpu"] == "h200_sxm");
  CHECK(json["method"] == "analytic");
  CHECK(json["points"] == 3);
  CHECK(json["unmatched"] == 0);
  CHECK(json["excluded"] == 0);
  CHECK(json["split"] == "all");
  CHECK(json["time"]["burst"]["mape"].get<double>() == Approx(0.230303).epsilon(1e-6));
  CHECK(json["pick"]["burst"].contains("top1"));
  // With two or three configurations, top 8 would be all of them.
  CHECK(!json["pick"]["burst"].contains("top8"));
  CHECK(json["rank"]["burst"]["shapes"] == 1);
  CHECK(json["baselines"]["cublaslt_top1_of_best"]["p10"] == 0.75);
  CHECK(json["interval"]["median_width"].get<double>() == Approx(0.2));
  CHECK(json["residual_model"]["used"] == false);
  CHECK(json["by_schedule"]["warp_specialized"]["points"] == 2);
  CHECK(json["by_schedule"]["pipelined"]["median"] == 0.1);
  CHECK(json["by_limiter"]["tensor"]["points"] == 3);
  CHECK(json["by_size"]["under_20_us"]["points"] == 2);
  CHECK(json["by_size"]["20_to_100_us"]["cycles_mape"].get<double>() == Approx(0).margin(1e-6));
  for (const char* absent : {"l2_to_sm_bytes", "dram_read_bytes", "l2_hit"}) {
    CHECK_FALSE(json.contains(absent));
  }
  CHECK_FALSE(json["time"].contains("sustained"));
  CHECK_FALSE(json["baselines"].contains("roofline_mape"));
}

TEST_CASE("The table stays within 80 columns") {
  std::istringstream lines(to_table(example_validation()));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    CHECK(line.size() <= 80);
  }
  CHECK(count > 15);
}

TEST_CASE("Without points there are counts and no figures") {
  const Validation v = validate(bare_gpu(), false, join_example({example_row(1, Seconds{1})}, {}));
  CHECK(v.unmatched == 1);
  CHECK_FALSE(v.cycles.has_value());
  CHECK(v.pick.empty());
  CHECK(to_json(v)["baselines"].empty());
}

std::string record_error(const std::string& record) {
  return ERROR_TEXT(worse_than_recorded(example_validation(), record, "r.json"));
}

TEST_CASE("Current figures are not worse than a record of themselves") {
  const Validation v = example_validation();
  CHECK(worse_than_recorded(v, record_of(v).dump(2), "r.json").empty());
}

TEST_CASE("A figure may be worse by the tolerance at most, and better by any amount") {
  const Validation v = example_validation();
  const auto changed = [&](const char* pointer, double by) {
    auto record = record_of(v);
    auto& figure = record[nlohmann::ordered_json::json_pointer(pointer)];
    figure = figure.get<double>() + by;
    return worse_than_recorded(v, record.dump(), "r.json").size();
  };
  for (const char* error : {"/cycles_mape", "/time_mape/burst", "/cycles_median", "/cycles_p90",
                            "/cycles_near_best_mape", "/clock_mape", "/median_width"}) {
    CAPTURE(error);
    CHECK(changed(error, -0.0019) == 0);
    CHECK(changed(error, -0.0021) == 1);
    CHECK(changed(error, 0.5) == 0);
  }
  for (const char* order : {"/top1_geomean/burst", "/kendall/burst", "/kendall_near_best/burst"}) {
    CAPTURE(order);
    CHECK(changed(order, 0.0019) == 0);
    CHECK(changed(order, 0.0021) == 1);
    CHECK(changed(order, -0.5) == 0);
  }
  CHECK(changed("/points", 1) == 1);      // a point is missing
  CHECK(changed("/unmatched", -1) == 1);  // a point lost its prediction
}

TEST_CASE("Coverage further from 90 % than recorded is worse, on either side") {
  Validation v = example_validation();
  v.interval = IntervalFigures{0.95, 0.2};  // 0.05 above 0.9
  const auto worse_than = [&](double before) {
    auto record = record_of(v);
    record["coverage_90"] = before;
    return worse_than_recorded(v, record.dump(), "r.json").size();
  };
  CHECK(worse_than(0.9) == 1);
  CHECK(worse_than(0.929) == 1);  // 0.029 away
  CHECK(worse_than(0.931) == 0);
  CHECK(worse_than(0.871) == 1);
  CHECK(worse_than(0.869) == 0);
  CHECK(worse_than(1) == 0);  // intervals that are too wide are not a regression
  v.interval = IntervalFigures{0.85, 0.2};
  CHECK(worse_than(0.929) == 1);
  CHECK(worse_than(0.869) == 0);
}

TEST_CASE("A figure that an older record lacks is not checked") {
  const Validation v = example_validation();
  nlohmann::ordered_json old;
  for (const char* key : {"schema", "gpu", "calibrated", "method", "points", "unmatched",
                          "time_mape", "top1_geomean", "cycles_mape"}) {
    old[key] = record_of(v)[key];
  }
  CHECK(worse_than_recorded(v, old.dump(), "r.json").empty());
}

TEST_CASE("A record is for one part of the data and one state of calibration") {
  Validation v = example_validation();
  auto record = record_of(v);
  v.split = "judge";
  CHECK_THROWS_AS(worse_than_recorded(v, record.dump(), "r.json"), ConfigError);
  record.erase("split");  // an older record, which covers all rows
  CHECK_THROWS_AS(worse_than_recorded(v, record.dump(), "r.json"), ConfigError);
  v.split = "all";
  CHECK(worse_than_recorded(v, record.dump(), "r.json").empty());
  v.corrected = true;
  CHECK_THROWS_AS(worse_than_recorded(v, record.dump(), "r.json"), ConfigError);
}

TEST_CASE("A recorded regime that is gone is named") {
  auto record = record_of(example_validation());
  record["time_mape"]["sustained"] = 0.1;
  CHECK(worse_than_recorded(example_validation(), record.dump(), "r.json") ==
        std::vector<std::string>{"time_mape/sustained is recorded but missing now"});
}

TEST_CASE("A malformed record is an error that names its key") {
  auto record = record_of(example_validation());
  CHECK(record_error("{").starts_with("r.json: expected a JSON object"));
  CHECK(record_error("[]").starts_with("r.json: expected a JSON object"));
  record["cycles_mape"] = "low";
  CHECK(record_error(record.dump()) == "r.json: cycles_mape: expected a number, got \"low\"");
  record["gpu"] = "b200";
  CHECK(record_error(record.dump()) == "r.json: gpu: expected \"h200_sxm\"");
  CHECK(record_error("{}") == "r.json: schema: expected 1");
}

}  // namespace
}  // namespace tilecast
