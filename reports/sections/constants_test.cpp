#include "reports/example_report.h"
#include "reports/sections/sections.h"
#include "tests/catch.h"

using namespace tilecast;

namespace {

ReportInput calibrated_input(double factor) {
  ReportInput input = example_input({example_row(4, Seconds{180e-6})});
  input.prior = input.gpu;
  input.gpu.calibrated = true;
  Constant& constant = input.gpu.constants[3];
  constant.value *= factor;
  constant.standard_error = constant.value * 0.01;
  constant.ref = "x.csv";
  return input;
}

}  // namespace

TEST_CASE("Without a calibration every constant has its source and none a prior") {
  const ReportInput input = example_input({example_row(4, Seconds{180e-6})});
  const Section section = constants_section(input);
  REQUIRE(section.tables.size() == 1);
  const DataTable& all = section.tables.front();
  REQUIRE(all.rows.size() == input.gpu.constants.size());
  for (const std::vector<Cell>& row : all.rows) {
    CHECK(!std::get<std::string>(row[all.column("source")]).empty());
    CHECK(std::holds_alternative<std::monostate>(row[all.column("prior")]));
  }
  CHECK(section.text.find("No calibration of this card") != std::string::npos);
}

TEST_CASE("A calibrated constant stands with prior, value and error, and how far it went") {
  const ReportInput input = calibrated_input(1.1);
  const Section section = constants_section(input);
  REQUIRE(section.tables.size() == 2);
  const DataTable& table = section.tables.front();
  REQUIRE(table.rows.size() == 1);
  const auto number = [&](const char* key) {
    return std::get<double>(table.rows[0][table.column(key)]);
  };
  const double prior = input.prior->constants[3].value;
  CHECK(number("prior") == prior);
  CHECK(number("value") == Approx(1.1 * prior));
  CHECK(number("change") == Approx(10));
  CHECK(number("errors_away") == Approx(0.1 / 0.011));  // 10 % of the prior, 1.1 % of it
  CHECK(section.text.find("1 of them") != std::string::npos);
  CHECK(section.files.back().ends_with("h200_sxm.calibrated.yaml"));
}

TEST_CASE("A prior in another unit is told with it and not divided by") {
  ReportInput input = calibrated_input(1.1);
  input.prior->constants[3].unit = "kB";
  const DataTable table = constants_section(input).tables.front();
  CHECK(std::get<std::string>(table.rows[0][table.column("prior")]).ends_with(" kB"));
  CHECK(std::holds_alternative<std::monostate>(table.rows[0][table.column("change")]));
}

TEST_CASE("A constant that calibration confirmed to the digit is still told as calibrated") {
  CHECK(constants_section(calibrated_input(1)).tables.front().rows.size() == 1);
}
