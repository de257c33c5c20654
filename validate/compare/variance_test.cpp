#include "validate/compare/variance.h"

#include <cmath>
#include <random>

#include "model/base/error.h"
#include "tests/catch.h"
#include "validate/record/example_measurement.h"

using namespace tilecast;

namespace {

constexpr double kMicro = 1e-6;

/// Forty configurations of two problems, 1 % apart in time; each time is multiplied by
/// exp(offset) and, differently for each, by up to exp(noise) either way.
MeasurementFile process(const std::string& card, const std::string& day, double offset,
                        double noise = 0, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> chance(-noise, noise);
  MeasurementFile file;
  file.name = card + " " + day;
  for (int i = 0; i < 40; ++i) {
    const double time = (100 + i / 2) * kMicro * std::exp(offset + chance(random));
    Measurement m = example_measurement("pipelined:n=" + std::to_string(i / 2), Seconds{time},
                                        {4096, 4096, 1024 * (1 + i % 2)});
    m.context.gpu_uuid = card;
    m.context.date = day + "T12:00:00Z";
    file.rows.push_back({i + 2, m});
  }
  return file;
}

}  // namespace

TEST_CASE("Offsets of pairs are told apart by card, day and process") {
  // Two processes on a day differ by 0.002: a variance of 0.002^2 / 2 each. Days differ by 0.006,
  // cards by 0.02, both without what is below them.
  const std::vector<Variance> all =
      variance_of({process("A", "2025-01-01", 0), process("A", "2025-01-01", 0.002),
                   process("A", "2025-01-02", 0.006), process("B", "2025-01-01", 0.02)});
  REQUIRE(all.size() == 1);
  const Variance& v = all.front();
  CHECK(v.files == 4);
  CHECK(v.cards == 2);
  CHECK(v.days == 2);
  CHECK(v.points == 40);
  CHECK(v.time.pairs[0].pairs == 1);
  CHECK(v.time.pairs[0].offset == Approx(0.002));
  CHECK(v.time.parts.process == Approx(0.002 / std::sqrt(2)));
  // Pairs of days: 0.006 and 0.004, mean square 2.6e-5, half of it less the process's 2e-6.
  CHECK(v.time.pairs[1].pairs == 2);
  CHECK(v.time.parts.day == Approx(std::sqrt(1.3e-5 - 2e-6)));
  // Pairs of cards: 0.02, 0.018, 0.014: mean square (4 + 3.24 + 1.96) / 3 * 1e-4, half less 1.3e-5.
  CHECK(v.time.parts.card == Approx(std::sqrt(9.2e-4 / 6 - 1.3e-5)));
  CHECK(v.time.parts.chance == Approx(0).margin(1e-9));
  CHECK(v.time.pairs[2].order.value() == Approx(1));
  CHECK(v.halves_order.value() == Approx(1));
}

TEST_CASE("Chance is in the scatter and not in the card") {
  std::vector<MeasurementFile> files;
  for (unsigned i = 0; i < 8; ++i) {
    files.push_back(process(i < 4 ? "A" : "B", "2025-01-01", 0, 0.02, i + 1));
  }
  const Variance v = variance_of(files).front();
  // Evenly spread up to 0.02 either way: a standard deviation of 0.02 / sqrt(3) = 0.0115.
  CHECK(v.time.parts.chance == Approx(0.0115).epsilon(0.1));
  CHECK(v.time.pairs[2].scatter == Approx(0.0115 * std::sqrt(2)).epsilon(0.1));
  CHECK(v.time.parts.card < 0.003);
  // Medians of four order better than single processes.
  CHECK(v.halves_order.value() > v.time.pairs[2].order.value());
  CHECK(v.halves_order.value() < 1);
  CHECK(v.problems == 2);
}

TEST_CASE("The median of a point's rows is one of them") {
  const auto median_of = [](const std::vector<double>& offsets) {
    std::vector<MeasurementFile> files;
    for (const double offset : offsets) {
      files.push_back(process("A", "2025-01-01", offset));
    }
    return median_rows(files);
  };
  const std::vector<Measurement> odd = median_of({0.3, 0.1, 0.2});
  REQUIRE(odd.size() == 40);
  CHECK(odd.front().time->median.value == Approx(100e-6 * std::exp(0.2)));
  CHECK(median_of({0.3, 0.1, 0.2, 0.4}).front().time->median.value ==
        Approx(100e-6 * std::exp(0.2)));
  CHECK(median_of({0.3}).empty());
}

TEST_CASE("A file with rows of two cards is no process") {
  MeasurementFile both = process("A", "2025-01-01", 0);
  both.rows.back().measurement.context.gpu_uuid = "B";
  CHECK_THROWS_AS(variance_of({both}), ConfigError);
  CHECK(variance_of({process("A", "2025-01-01", 0)}).front().time.pairs[0].pairs == 0);
}
