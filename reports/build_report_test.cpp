#include "reports/build_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/tile/kernel_config_text.h"
#include "reports/example_report.h"
#include "reports/report_html.h"
#include "tests/catch.h"

using namespace tilecast;

namespace {

std::set<std::string> sections_of(const Report& report) {
  std::set<std::string> ids;
  for (const Section& section : report.sections) {
    ids.insert(section.id);
  }
  return ids;
}

/// What must hold of every report, however little it is made of.
void check_whole(const Report& report) {
  std::set<std::string> ids;
  for (const Section& section : report.sections) {
    CHECK(!section.title.empty());
    for (const DataTable& table : section.tables) {
      CHECK(ids.insert(table.id).second);  // a file name of its own
      for (const std::vector<Cell>& row : table.rows) {
        CHECK(row.size() == table.columns.size());
      }
    }
  }
  for (const Section& section : report.sections) {
    for (const Chart& chart : section.charts) {
      REQUIRE(!chart.tables.empty());
      for (const std::string& id : chart.tables) {
        REQUIRE(report.table(id) != nullptr);
        CHECK(!report.table(id)->rows.empty());
      }
      const DataTable& first = *report.table(chart.tables.front());
      for (const Filter& filter : chart.filters) {
        const std::size_t column = first.column(filter.column);
        bool found = !filter.one;
        for (const std::vector<Cell>& row : first.rows) {
          found |= std::get<std::string>(row[column]) == filter.chosen;
        }
        INFO(chart.id << " " << filter.column << " " << filter.chosen);
        CHECK(found);
      }
    }
  }
  const std::string page = report_page(report, {"reports/page", "/* library */", "licences"});
  CHECK(page.find("nan") == std::string::npos);
  CHECK(page.find('@') == page.find("@media"));  // every mark was filled: style has the first
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

double number(const DataTable& table, std::size_t row, const std::string& column) {
  return std::get<double>(table.rows.at(row).at(table.column(column)));
}

}  // namespace

TEST_CASE("A report of a few rows has their sections and no others") {
  const Report report = build_report(example_input(example_rows()));
  check_whole(report);
  CHECK(sections_of(report) == std::set<std::string>{"headline", "accuracy", "clock", "points",
                                                     "picks", "libraries", "limits", "context",
                                                     "constants"});
}

TEST_CASE("Markup in data stays text on the page") {
  Report report = build_report(example_input(example_rows()));
  REQUIRE(!report.sections.empty());
  for (Section& section : report.sections) {
    for (DataTable& table : section.tables) {
      for (std::vector<Cell>& cells : table.rows) {
        for (Cell& cell : cells) {
          if (std::string* text = std::get_if<std::string>(&cell)) {
            *text = "</SCRIPT><img src=x>";
          }
        }
      }
    }
  }
  const std::string page = report_page(report, {"reports/page", "/* library */", "licences"});
  CHECK(page.find("<img") == std::string::npos);
  CHECK(page.find("</SCRIPT>") == std::string::npos);
}

TEST_CASE("A single row makes a report without picks and without cycles against clock") {
  const Report report = build_report(example_input({example_row(4, Seconds{180e-6})}));
  check_whole(report);
  CHECK(sections_of(report) ==
        std::set<std::string>{"headline", "accuracy", "points", "limits", "context", "constants"});
  CHECK(report.table("points")->rows.size() == 1);
}

TEST_CASE("Without cuBLASLt there is no comparison with it") {
  std::vector<Measurement> rows = example_rows();
  rows.resize(3);
  const Report report = build_report(example_input(rows));
  check_whole(report);
  CHECK(report.section("libraries") == nullptr);
  CHECK(report.section("picks") != nullptr);
}

TEST_CASE("One schedule alone is a report") {
  const Report report = build_report(
      example_input({example_row(2, Seconds{190e-6}), example_row(4, Seconds{180e-6})}));
  check_whole(report);
  CHECK(report.table("by_schedule")->rows.size() == 1);
}

TEST_CASE("Rows without cycles, clock or power leave those charts out") {
  std::vector<Measurement> rows = example_rows();
  for (Measurement& row : rows) {
    row.cycles.reset();
    row.sm_clock.reset();
  }
  const Report report = build_report(example_input(rows));
  check_whole(report);
  CHECK(report.section("clock") == nullptr);
}

TEST_CASE("The first screen says how far off, how good the pick, and how it stands to cuBLASLt") {
  const Report report = build_report(example_input(example_rows()));
  const Section& first = report.sections.front();
  CHECK(first.id == "headline");
  const DataTable& error = *report.table("error");
  const double mean = number(error, 1, "mean");  // behind cycles, time in bursts
  CHECK(has(first.text, "**" + number_text(mean, 3) + " % mean error**"));
  CHECK(has(first.text, "over 3 kernels of 1 problem (median"));
  // cuBLASLt takes 189 us, the pick what the picks table says.
  const double pick = number(*report.table("picks"), 0, "pick_us");
  CHECK(has(first.text, fmt::format("**{:.2f} x cuBLASLt**", 189 / pick)));
  CHECK(!has(first.text, "cannot load wide"));  // 4096 is aligned
  REQUIRE(first.charts.size() == 2);
  CHECK(first.charts[0].id == "overview");
  CHECK(first.charts[1].id == "cycles_clock");
}

TEST_CASE("Of one kernel the first screen has the error alone, and one chart") {
  const Section first =
      build_report(example_input({example_row(4, Seconds{180e-6})})).sections.front();
  CHECK(has(first.text, "over 1 kernel of 1 problem"));
  CHECK(std::ranges::count(first.text, '\n') == 1);
  CHECK(first.charts.size() == 1);
}

TEST_CASE("Two cards are both named, and every point keeps its own") {
  std::vector<Measurement> rows = example_rows();
  rows[1].context.gpu_uuid = "GPU-1";
  const Report report = build_report(example_input(rows));
  check_whole(report);
  CHECK(report.table("cards")->rows.size() == 2);
  CHECK(report.summary.find("2 cards") != std::string::npos);
  std::set<std::string> cards;
  const DataTable& points = *report.table("points");
  for (const std::vector<Cell>& row : points.rows) {
    cards.insert(std::get<std::string>(row[points.column("card")]));
  }
  CHECK(cards == std::set<std::string>{"GPU-0", "GPU-1"});
}

TEST_CASE("Regret is the pick's measured time less the best's") {
  const Report report = build_report(example_input(example_rows()));
  const DataTable& picks = *report.table("picks");
  REQUIRE(picks.rows.size() == 1);
  CHECK(number(picks, 0, "best_us") == Approx(180));
  CHECK(number(picks, 0, "regret_us") == Approx(number(picks, 0, "pick_us") - 180));
  CHECK(number(picks, 0, "ratio") == Approx(180 / number(picks, 0, "pick_us")));
}

TEST_CASE("Beside the library, above one means that ours is faster") {
  const Report report = build_report(example_input(example_rows()));
  const DataTable& table = *report.table("libraries");
  CHECK(number(table, 0, "of_first") == Approx(189.0 / 180));
  CHECK(number(table, 0, "of_best") == Approx(177.0 / 180));
  const DataTable& means = *report.table("libraries_mean");
  REQUIRE(means.rows.size() == 3);  // no side of 4096^3 is odd
  CHECK(number(means, 0, "mean") == Approx(189.0 / 180));
  CHECK(number(means, 1, "least") == Approx(177.0 / 180));
}

TEST_CASE("A line of equal time holds time x clock cycles at both of its ends") {
  const Report report = build_report(example_input(example_rows()));
  const DataTable& lines = *report.table("equal_time");
  REQUIRE(lines.rows.size() >= 2);
  for (std::size_t i = 0; i < lines.rows.size(); ++i) {
    // us x GHz is thousand cycles
    CHECK(number(lines, i, "kcycles") ==
          Approx(number(lines, i, "time_us") * number(lines, i, "ghz")));
  }
  CHECK(number(lines, 0, "time_us") == Approx(180));  // the first line is that of the best time
}

TEST_CASE(
    "Counters of the rows are laid beside the prediction, and without them there is nothing") {
  std::vector<Measurement> rows = example_rows();
  rows[0].counters["dram__bytes_read.sum"] = 2e8;
  ReportInput input = example_input(rows);
  input.chip = load_chip_counters(config_folder(), "GH100");
  REQUIRE(input.chip);
  const Report report = build_report(input);
  check_whole(report);
  const DataTable& bytes = *report.table("bytes");
  REQUIRE(bytes.rows.size() == 1);  // L2 needs more counters than this row has
  CHECK(number(bytes, 0, "counted_gb") == Approx(0.2));

  ReportInput without = example_input(example_rows());
  without.chip = input.chip;
  CHECK(build_report(without).section("bytes") == nullptr);
}

TEST_CASE("A ladder shows the change of each rung from the one it is compared with") {
  ReportInput input = example_input(example_rows());
  input.ladder = Ladder{{{"three", example_config(3), std::nullopt, {}},
                         {"four", example_config(4), 0, {}},
                         {"nowhere measured", example_config(6), 0, {}}}};
  input.ladder_file = "ladder.yaml";
  const Report report = build_report(input);
  check_whole(report);
  const DataTable& ladder = *report.table("ladder");
  REQUIRE(ladder.rows.size() == 2);
  // At one clock cycles go as time: 180 / 200.
  CHECK(number(ladder, 1, "change") == Approx(-10));
}

TEST_CASE("Published figures meet the rows of the same kernel, and what is missing stays empty") {
  ReportInput input = example_input(example_rows());
  PublishedFigure figure{.source = "A document",
                         .table = "A table",
                         .gpu = "h100_sxm",
                         .problem = input.judged.groups.front().problem,
                         .kernel = "four buffers",
                         .config_there = "",
                         .config_here = to_text(example_config(4)),
                         .value = 700,
                         .unit = FigureUnit::kTflops};
  input.published = {figure};
  figure.config_here = to_text(example_config(8));
  input.published.push_back(figure);
  figure.config_here = "cublaslt:top1";
  input.published.push_back(figure);
  const Report report = build_report(input);
  check_whole(report);
  const DataTable& table = *report.table("published");
  // 2 x 4096^3 operations in 180 us and 189 us
  CHECK(number(table, 0, "measured_here") == Approx(2.0 * 4096 * 4096 * 4096 / 180e-6 / 1e12));
  CHECK(std::holds_alternative<std::monostate>(table.rows[1][table.column("measured_here")]));
  CHECK(number(table, 2, "measured_here") == Approx(2.0 * 4096 * 4096 * 4096 / 189e-6 / 1e12));
  CHECK(std::holds_alternative<std::monostate>(table.rows[0][table.column("predicted_there")]));
}
