#include "validate/calibrate/card_scale.h"

#include <cmath>
#include <random>

#include "model/base/error.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "validate/record/example_measurement.h"

using namespace tilecast;

namespace {

const GpuSpec kGpu = load_gpu("h200_sxm", false).spec;

/// Rows of `card`, whose clock is `factor` times the others': configurations from first to last.
MeasurementFile rows(const std::string& card, double factor, int first, int last,
                     double noise = 0) {
  std::mt19937 random(static_cast<unsigned>(card.back()));
  std::uniform_real_distribution<double> chance(-noise, noise);
  MeasurementFile file;
  for (int i = first; i <= last; ++i) {
    Measurement m = example_measurement("pipelined:n=" + std::to_string(i), Seconds{1e-4});
    m.sm_clock = Hertz{(1.4e9 + 1e6 * i) * factor * std::exp(chance(random))};
    m.time->median = time_of(Cycles{150'000}, *m.sm_clock);
    m.context.gpu_uuid = card;
    file.rows.push_back({i, m});
  }
  return file;
}

CardFactor clock_of(const CardFit& fit, const std::string& card) {
  return fit.cards.card(card).factor(CardTrait::kBurstClock);
}

}  // namespace

TEST_CASE("Cards that share no point are compared through a third") {
  // A is the machine; B shares points with A, C with B alone.
  const CardFit fit =
      fit_cards(kGpu, {rows("A", 1, 1, 20)}, {rows("B", 1.02, 11, 40), rows("C", 0.97, 31, 60)});
  CHECK(clock_of(fit, "A").factor == Approx(1));
  CHECK(clock_of(fit, "B").factor == Approx(1.02));
  CHECK(clock_of(fit, "C").factor == Approx(0.97));
  CHECK(clock_of(fit, "C").rows == 10);  // those that another card has too
  // Logarithms 0, 0.0198, -0.0305: a standard deviation of 0.0252.
  CHECK(fit.cards.spread.at(CardTrait::kBurstClock) == Approx(0.0252).epsilon(0.01));
  CHECK_FALSE(fit.cards.spread.contains(CardTrait::kSustainedClock));
  CHECK(fit.outlying_points.empty());
  CHECK(fit.outlying_cards.empty());
}

TEST_CASE("The machine is the mean of its cards by rows, not of all cards") {
  // 30 rows of A and 10 of B: level (30 * 0 + 10 log 1.04) / 40.
  const CardFit fit =
      fit_cards(kGpu, {rows("A", 1, 1, 30), rows("B", 1.04, 1, 10)}, {rows("C", 0.9, 1, 30)});
  CHECK(clock_of(fit, "A").factor == Approx(std::pow(1.04, -0.25)));
  CHECK(clock_of(fit, "C").factor == Approx(0.9 * std::pow(1.04, -0.25)));
}

TEST_CASE("A factor's error is what chance makes of it") {
  // 1 % either way is 0.00577; the difference of two means of 100: 0.00577 * sqrt(2 / 100), half of
  // its variance for each card of the two.
  const CardFit fit =
      fit_cards(kGpu, {rows("B", 1, 1, 100, 0.01)}, {rows("C", 1.02, 1, 100, 0.01)});
  CHECK(fit.chance.at(CardTrait::kBurstClock) == Approx(0.00577).epsilon(0.15));
  CHECK(clock_of(fit, "C").error == Approx(0.00577 * std::sqrt(0.5 / 100)).epsilon(0.15));
  CHECK(std::abs(std::log(clock_of(fit, "C").factor / 1.02)) < 3 * 0.00577 * std::sqrt(2.0 / 100));
}

TEST_CASE("A point that one card alone measured far off is reported and left out") {
  MeasurementFile odd = rows("B", 1.02, 1, 40);
  odd.rows[7].measurement.sm_clock = *odd.rows[7].measurement.sm_clock * 0.7;
  const CardFit fit = fit_cards(kGpu, {rows("A", 1, 1, 40)}, {odd, rows("C", 0.99, 1, 40)});
  REQUIRE_FALSE(fit.outlying_points.empty());
  CHECK(fit.outlying_points.front().find("n=8") != std::string::npos);
  CHECK(clock_of(fit, "B").factor == Approx(1.02));
}

TEST_CASE("A card far from the others is reported") {
  std::vector<MeasurementFile> files;
  for (const auto& [card, factor] : {std::pair{"B", 1.004}, {"C", 0.997}, {"D", 1.001}}) {
    files.push_back(rows(card, factor, 1, 10));
  }
  CHECK(fit_cards(kGpu, {rows("A", 1, 1, 10)}, files).outlying_cards.empty());
  files.push_back(rows("E", 0.9, 1, 10));
  const CardFit fit = fit_cards(kGpu, {rows("A", 1, 1, 10)}, files);
  REQUIRE(fit.outlying_cards.size() == 1);
  CHECK(fit.outlying_cards.front().ends_with("E"));
}

TEST_CASE("Rows near the bandwidth tell of DRAM, others do not") {
  // 4096 x 4096 x 64 moves 34.6 MB at least, 10 us at 3.4 TB/s: 71 % of 4.8 TB/s.
  const auto dram = [](const std::string& card, double time) {
    MeasurementFile file;
    for (int i = 0; i < 5; ++i) {
      Measurement m =
          example_measurement("pipelined:n=" + std::to_string(i), Seconds{time}, {4096, 4096, 64});
      m.context.gpu_uuid = card;
      file.rows.push_back({i, m});
    }
    return file;
  };
  const CardFit fast = fit_cards(kGpu, {dram("A", 10e-6)}, {dram("B", 11e-6)});
  CHECK(fast.cards.card("B").factor(CardTrait::kDram).factor == Approx(10.0 / 11));
  const CardFit slow = fit_cards(kGpu, {dram("A", 20e-6)}, {dram("B", 22e-6)});
  CHECK_FALSE(slow.cards.card("B").factors.contains(CardTrait::kDram));
}

TEST_CASE("Cards without a point in common cannot be compared") {
  CHECK_THROWS_AS(fit_cards(kGpu, {rows("A", 1, 1, 5)}, {rows("B", 1, 6, 9)}), ConfigError);
}
