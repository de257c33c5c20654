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
  CHECK(change(section, "measured time") == "points:  -> 1 in the median of 3 (1 to 1)");
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
  CHECK(change(section, "measured time") == "points:  -> 0.5 in the median of 2 (0.5 to 0.5)");
  CHECK(change(section, input.gpu.constants.front().key_path).starts_with("value: 0.3, 1 -> 0.6"));
}

TEST_CASE("A folder that holds no report is an error") {
  TemporaryFolder folder;
  CHECK(error_message([&] { read_other_report(folder / "no"); }).starts_with("6 "));
}
