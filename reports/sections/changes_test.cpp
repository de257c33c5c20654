#include "model/base/file.h"
#include "reports/build_report.h"
#include "reports/example_report.h"
#include "reports/other_report.h"
#include "reports/report_csv.h"
#include "reports/sections/sections.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

using namespace tilecast;

namespace {

void write_data(const Report& report, const std::filesystem::path& folder) {
  for (const Section& section : report.sections) {
    for (const DataTable& table : section.tables) {
      write_file(folder / "data" / (table.id + ".csv"), table_csv(table));
    }
  }
}

/// "figure: there -> here" of what has this name.
std::string change(const Section& section, const std::string& what) {
  const DataTable& table = section.tables.front();
  for (const std::vector<Cell>& row : table.rows) {
    if (std::get<std::string>(row[1]).starts_with(what)) {
      return cell_text(row[2], table.columns[2]) + ": " + cell_text(row[3], table.columns[3]) +
             " -> " + cell_text(row[4], table.columns[4]);
    }
  }
  return "";
}

}  // namespace

TEST_CASE("A report laid against itself says that every point is in both and nothing moved") {
  TemporaryFolder folder;
  const Report report = build_report(example_input(example_rows()));
  write_data(report, folder / ".");
  const Section section = changes_section(report, read_other_report(folder / "."));
  CHECK(section.tables.front().rows.size() == 4);  // the four lines about points
  CHECK(change(section, "only in this report") == "points:  -> 0");
  CHECK(change(section, "only in the other one") == "points:  -> 0");
  CHECK(change(section, "measured time") == "here / there:  -> 1 (1 to 1, 3 points)");
}

TEST_CASE("A point that is gone, a time that moved and a constant that changed are told") {
  TemporaryFolder folder;
  write_data(build_report(example_input(example_rows())), folder / ".");
  std::vector<Measurement> rows = example_rows();
  rows.erase(rows.begin());  // 3 stages
  rows[0] = example_row(4, Seconds{90e-6});
  rows[1] = example_row(2, Seconds{95e-6});
  ReportInput input = example_input(rows);
  input.gpu.constants.front().value *= 2;
  const Section section = changes_section(build_report(input), read_other_report(folder / "."));
  CHECK(change(section, "only in the other one") == "points:  -> 1");
  CHECK(change(section, "measured time") == "here / there:  -> 0.5 (0.5 to 0.5, 2 points)");
  CHECK(change(section, input.gpu.constants.front().key_path).starts_with("value: 0.3, 1 -> 0.6"));
}

TEST_CASE("Predictions of another model are laid out point by point, the furthest first") {
  TemporaryFolder folder;
  ReportInput input = example_input(example_rows());
  write_data(build_report(input), folder / ".");
  JoinedPoint& second = input.judged.groups.front().points.at(1);
  second.predicted.time = second.predicted.time * 1.2;
  JoinedPoint& third = input.judged.groups.front().points.at(2);
  third.predicted.time = third.predicted.time * 0.7;
  const Section section = changes_section(build_report(input), read_other_report(folder / "."));
  REQUIRE(section.charts.size() == 1);
  REQUIRE(section.tables.size() == 3);
  const DataTable& moved = section.tables[1];
  REQUIRE(moved.rows.size() == 2);
  const auto ratio = [&](std::size_t row) {
    return std::get<double>(moved.rows[row][moved.column("predicted_ratio")]);
  };
  CHECK(ratio(0) == Approx(0.7).epsilon(1e-3));
  CHECK(ratio(1) == Approx(1.2).epsilon(1e-3));
  CHECK(section.tables[2].rows.size() == 3);  // what did not move is in the chart
}

TEST_CASE("Rows of a table with two names are told apart by both") {
  TemporaryFolder folder;
  std::vector<Measurement> rows = example_rows();
  for (const Measurement& row : example_rows()) {
    rows.push_back(row);
    rows.back().point.regime = Regime::kSustained;
  }
  const Report report = build_report(example_input(rows));
  REQUIRE(report.table("by_class")->rows.size() == 2);
  write_data(report, folder / ".");
  const Section section = changes_section(report, read_other_report(folder / "."));
  CHECK(section.tables.front().rows.size() == 4);  // nothing but the lines about points
}

TEST_CASE("A folder that holds no report is an error") {
  TemporaryFolder folder;
  CHECK(error_message([&] { read_other_report(folder / "no"); }).starts_with("6 "));
}
