#include "validate/compare/worst_points.h"

#include <nlohmann/json.hpp>

#include <sstream>

#include "tests/catch.h"
#include "validate/compare/example_points.h"

namespace tilecast {
namespace {

/// Every kernel was measured at 10 us and 1.5 GHz. Predictions by number of stages:
///   1: 20 us at 1.5 GHz (twice the cycles)
///   2: 4 us at 3 GHz (0.8 times the cycles, twice the clock)
///   3: 11 us at 1.5 GHz
///   4: 20 us at 0.75 GHz (the right cycles)
///   5: 8 us at 3.75 GHz (twice the cycles, 2.5 times the clock)
JoinedData example_data(bool with_clock = true) {
  const std::map<i32, std::pair<double, double>> predicted{
      {1, {20, 1.5}}, {2, {4, 3}}, {3, {11, 1.5}}, {4, {20, 0.75}}, {5, {8, 3.75}}};
  const Predictor predict = [=](const AnyProblem&, const AnyConfig& config, Regime, Inputs) {
    const auto [micros, gigahertz] = predicted.at(std::get<KernelConfig>(config).tiling.stages);
    Prediction p{};
    p.config = config;
    p.time = p.closed_form_time = Seconds{micros * 1e-6};
    p.sm_clock = Hertz{gigahertz * 1e9};
    p.cycles = cycles_of(p.time, p.sm_clock);
    p.limiter = Limiter::kDram;
    return p;
  };
  std::vector<Measurement> rows;
  for (i32 stages = 1; stages <= 5; ++stages) {
    rows.push_back(example_row(stages, Seconds{10e-6}));
    if (!with_clock) {
      rows.back().sm_clock.reset();
    }
  }
  return join_points({example_file(rows)}, predict, {"h200_sxm"});
}

TEST_CASE("The worst point has the largest log error, and ties keep the data's order") {
  const std::vector<WorstPoint> worst = worst_points(example_data(), 4);
  REQUIRE(worst.size() == 4);
  // -60 % is log 2.5, which is worse than +100 %, log 2; -20 % is log 1.25, +10 % is log 1.1.
  CHECK(worst[0].time_error() == Approx(-0.6));
  // Schedules pipelined, warp_specialized.
  CHECK(worst[1].point.config == to_text(example_config(1)));
  CHECK(worst[2].point.config == to_text(example_config(4)));
  CHECK(worst[3].time_error() == Approx(-0.2));
  CHECK(worst[0].limiter == Limiter::kDram);
  CHECK(*worst[0].cycles_error == Approx(-0.2));
  CHECK(*worst[0].clock_error == Approx(1));
  CHECK(worst_points(example_data(), 99).size() == 5);
  CHECK(worst_points(example_data(), 0).empty());
}

TEST_CASE("The main cause of an error is the term that pushed the time that way") {
  const std::vector<WorstPoint> worst = worst_points(example_data(), 5);
  CHECK(worst[0].off == OffPart::kClock);   // log 0.8 from cycles, -log 2 from the clock
  CHECK(worst[1].off == OffPart::kCycles);  // the clock is right
  CHECK(worst[2].off == OffPart::kClock);   // cycles are right
  // the predicted time is too short although it has twice the cycles
  CHECK(worst[3].off == OffPart::kClock);
  CHECK(worst_points(example_data(false), 1).front().off == OffPart::kUnknown);
}

TEST_CASE("The worst pick names the fastest kernel too") {
  JoinedData data = example_data();
  CHECK(worst_picks(data, 9).size() == 1);
  // The kernel with two stages has the shortest prediction; that with three stages is made faster.
  for (JoinedPoint& point : data.groups.front().points) {
    if (point.measured.point.config == to_text(example_config(3))) {
      point.measured.time->median = Seconds{8e-6};
    }
  }
  const std::vector<WorstPick> picks = worst_picks(data, 9);
  REQUIRE(picks.size() == 1);
  CHECK(picks[0].ratio() == Approx(0.8));
  CHECK(picks[0].picked.point.config == to_text(example_config(2)));
  CHECK(picks[0].best.point.config == to_text(example_config(3)));
  CHECK(to_json(picks)[0]["ratio"] == 0.8);
  CHECK(contains(to_table(picks), "burst: 0.800 of the best speed"));
  CHECK(worst_picks(data, 0).empty());
}

TEST_CASE("Worst points in JSON have the fields needed to explain them") {
  const auto json = to_json(worst_points(example_data(), 1));
  REQUIRE(json.size() == 1);
  CHECK(json[0]["problem"] == "4096x4096x4096 fp16 tn");
  CHECK(json[0]["regime"] == "burst");
  CHECK(json[0]["config"] == to_text(example_config(2)));
  CHECK(json[0]["measured_time_us"] == 10);
  CHECK(json[0]["time_us"] == 4);
  CHECK(json[0]["error"] == -0.6);
  CHECK(json[0]["cycles_error"] == -0.2);
  CHECK(json[0]["clock_error"] == 1);
  CHECK(json[0]["limiter"] == "dram");
  CHECK(json[0]["off"] == "clock");
  CHECK_FALSE(to_json(worst_points(example_data(false), 1))[0].contains("clock_error"));
}

TEST_CASE("The list of worst points shows whole configurations within 80 columns") {
  const std::string text = to_table(worst_points(example_data(), 1));
  std::istringstream lines(text);
  std::string together;
  for (std::string line; std::getline(lines, line);) {
    CHECK(line.size() <= 80);
    together += line.substr(std::min(line.find_first_not_of(' '), line.size()));
  }
  CHECK(contains(together, to_text(example_config(2))));
  CHECK(contains(together, "4096x4096x4096 fp16 tn, burst"));
  CHECK(contains(text, "-60.0 %"));
  CHECK(to_table(std::vector<WorstPoint>{}).empty());
}

}  // namespace
}  // namespace tilecast
