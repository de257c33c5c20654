#include "validate/compare/repeatability.h"

#include "tests/catch.h"
#include "validate/record/example_measurement.h"

namespace tilecast {
namespace {

Measurement row(int index, double microseconds, double megahertz) {
  Measurement m = example_measurement("a:n=" + std::to_string(index), Seconds{microseconds * 1e-6});
  m.sm_clock = Hertz{megahertz * 1e6};
  m.cycles = cycles_of(m.time->median, *m.sm_clock);
  return m;
}

MeasurementFile file_of(const std::vector<Measurement>& rows) {
  MeasurementFile file;
  for (const Measurement& m : rows) {
    file.rows.push_back({0, m});
  }
  return file;
}

TEST_CASE("Cycles and clock differ each by their own share of the time's difference") {
  // The second run of each: 2 % less clock, 100, 102 and 104 % of the cycles.
  const Repeatability found = repeatability(
      file_of({row(1, 100, 1500), row(2, 100, 1500), row(3, 100, 1500)}),
      file_of({row(3, 104 / 0.98, 1470), row(2, 102 / 0.98, 1470), row(1, 100 / 0.98, 1470)}));
  CHECK(found.points == 3);
  CHECK(found.cycles->median == Approx(0.02));
  CHECK(found.cycles->p95 == Approx(0.038));  // 0.02 + 0.9 x 0.02
  CHECK(found.cycles->worst == Approx(0.04));
  CHECK(found.clock->median == Approx(0.02));
  CHECK(found.time->median == Approx(1.02 / 0.98 - 1));
  CHECK(found.worst_point.find("a:n=3") != std::string::npos);
  CHECK(missed_bars(found).size() == 3);
}

TEST_CASE("Order is that of the points of one problem") {
  const MeasurementFile first = file_of({row(1, 100, 1500), row(2, 110, 1500), row(3, 120, 1500)});
  CHECK_FALSE(repeatability(file_of({row(1, 100, 1500), row(2, 110, 1500)}),
                            file_of({row(1, 100, 1500), row(2, 110, 1500)}))
                  .order);
  CHECK(repeatability(first, first).order == 1.0);
  // One of three pairs has changed places.
  const Repeatability other =
      repeatability(first, file_of({row(1, 100, 1500), row(2, 130, 1500), row(3, 120, 1500)}));
  CHECK(*other.order == Approx(1.0 / 3));
  CHECK(other.groups == 1);
}

TEST_CASE("Points that one file lacks, or that are not right, are not compared but counted") {
  Measurement wrong = row(2, 50, 1500);
  wrong.status = Status::kWrong;
  const Repeatability found = repeatability(file_of({row(1, 100, 1500), row(2, 100, 1500)}),
                                            file_of({row(1, 100, 1500), wrong, row(4, 1, 1500)}));
  CHECK(found.points == 1);
  CHECK(found.in_one_only == 2);  // 2 and 4
  CHECK(missed_bars(found).empty());
  const Repeatability none = repeatability(file_of({row(1, 100, 1500)}), file_of({}));
  CHECK_FALSE(none.cycles.has_value());
  CHECK(missed_bars(none).size() == 1);
}

TEST_CASE("A bar holds up to its value and not beyond") {
  const auto missed = [](double cycles, double clock) {
    return missed_bars(repeatability(file_of({row(1, 100, 1500)}),
                                     file_of({row(1, 100 * cycles / clock, 1500 * clock)})))
        .size();
  };
  CHECK(missed(1.0099, 1.0049) == 0);
  CHECK(missed(1.0101, 1) == 1);
  CHECK(missed(1, 1.0051) == 1);
  CHECK(missed(1.0301, 1) == 2);  // the median and the 95th part of one point
}

}  // namespace
}  // namespace tilecast
