// Runs in the repository root.

#include "reports/page.h"

#include <nlohmann/json.hpp>
#include <set>

#include "model/base/file.h"
#include "reports/report_json.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "validate/compare/example_points.h"
#include "validate/compare/validation.h"

using namespace tilecast;
using Json = nlohmann::ordered_json;

namespace {

const std::filesystem::path kFolder = "reports/page";

/// Three configurations of one problem with errors of +10, -10 and 0 %, and cuBLASLt.
ReportInput example_input() {
  const std::vector<MeasurementFile> files{example_file(
      {example_row(2, Seconds{100e-6}), example_row(3, Seconds{200e-6}),
       example_row(4, Seconds{400e-6}), example_cublaslt_row(kCublasltTop1, Seconds{80e-6})})};
  const Predictor predict =
      predict_times({{2, Seconds{110e-6}}, {3, Seconds{180e-6}}, {4, Seconds{400e-6}}});
  ReportInput input{.command = "./tilecast report", .rows = 4, .cards = 1};
  input.gpu.name = "h200_sxm";
  input.gpu.product = "H200";
  input.judged.data = join_points(files, predict, {"h200_sxm"});
  input.judged.validation = validate(input.gpu, true, input.judged.data);
  return input;
}

std::string page_of(const ReportInput& input) {
  return report_page(report_json(input),
                     {.folder = kFolder, .chart_library = "", .links = {{"Data", "data.md"}}});
}

}  // namespace

TEST_CASE("A report contains the figures of validate, and its page shows them") {
  const ReportInput input = example_input();
  const Json report = report_json(input);
  CHECK(report["validation"] == to_json(input.judged.validation));
  CHECK(report["errors"]["classes"][0] ==
        Json{{"class", "large"}, {"kernels", 3}, {"mean_error", 0.066667}});
  const std::string page = page_of(input);
  CHECK(contains(page, "mean error of 6.67 % (median 10 %)"));  // errors of 10, 10 and 0 %
  CHECK(contains(page, "3 measured kernels for 1 problem"));
  CHECK(contains(page, "<a href=\"data.md\">Data</a>"));
  CHECK(contains(report_headline(report, kFolder), "**100 % of the best measured speed**"));
}

TEST_CASE("A problem lists its kernels in predicted order and the library's times") {
  const Json problem = report_json(example_input())["problems"][0];
  CHECK(problem["problem"] == "4096x4096x4096");
  CHECK(problem["top"][0][1] == 110);
  CHECK(problem["top"][2][2] == 400);
  CHECK(problem["fastest"][2] == 100);
  CHECK(problem["cublaslt"] == 80);
}

TEST_CASE("The fastest kernel and the one with the fewest cycles are chosen by measured values") {
  ReportInput input = example_input();
  for (JoinedPoint& point : input.judged.data.groups[0].points) {
    point.measured.sm_clock = Hertz{1e9};  // the fastest takes 100,000 cycles
    point.measured.cycles = cycles_of(point.measured_time(), *point.measured.sm_clock);
  }
  CHECK(report_json(input)["clock"]["differ"] == 0);
  JoinedPoint& slower = input.judged.data.groups[0].points[0];  // 200 us
  slower.measured.cycles = Cycles{90'000};
  const Json clock = report_json(input)["clock"];
  CHECK(clock["differ"] == 1);
  CHECK(clock["cases"] == 1);
}

TEST_CASE(
    "A curve over N has measured, predicted and fastest kernels at multiples of the tile width") {
  ReportInput input = example_input();
  const std::vector<MeasurementFile> files{
      example_file({example_row(2, Seconds{100e-6}, {1024, 4096, 4096}),
                    example_row(4, Seconds{50e-6}, {1024, 4096, 4096}),
                    example_row(2, Seconds{100e-6}, {1024, 4100, 4096})})};
  std::vector<MeasurementFile> own = files;
  std::erase_if(own[0].rows, [](const MeasurementRow& row) {
    return row.measurement.point.config != to_text(example_config(2));
  });
  input.waves = WaveInput{example_config(2), join_points(own, predict_times({{2, Seconds{102e-6}}}),
                                                         {"h200_sxm"}, {.fixed = files})};
  const Json waves = report_json(input)["waves"];
  CHECK(waves["widths"] == 1);  // 4100 is not a multiple of 128
  CHECK(waves["median_error"] == 0.02);
  REQUIRE(waves["curves"]["rows"].size() == 3);
  CHECK(waves["curves"]["rows"][0][2] == 343.6);  // 2 x 1024 x 4096 x 4096 in 100 us
  CHECK(waves["curves"]["rows"][2][1] == "fastest kernel measured");
  CHECK(waves["curves"]["rows"][2][2] == 687.19);
  CHECK(contains(page_of(input), "<td>4096</td><td>344</td><td>337</td>"));
}

TEST_CASE("A page shows the errors of decoder layers and the parts of their time") {
  ReportInput input = example_input();
  CHECK_FALSE(contains(page_of(input), "data-chart=\"layers\""));
  input.layers = LayersInput{"l.json", R"({
    "times": {"columns": ["layer", "mode", "regime", "measured_us", "forecast_us"],
              "rows": [["8b", "compile", "burst", 100, 104], ["8b", "eager", "burst", 100, 98]]},
    "parts": {"columns": ["layer", "part", "us"],
              "rows": [["8b", "GEMM", 60], ["8b", "attention", 20], ["8b", "elementwise", 15],
                       ["8b", "launches", 5]]}})"};
  const std::string page = page_of(input);
  CHECK(contains(page, "mean error 3.0 %, worst 4.0 %"));
  CHECK(contains(page, "<td>eager</td><td>burst</td><td>1</td><td>2.0</td><td>2.0</td>"));
  CHECK(contains(page, "<td>8b</td><td>60</td><td>20</td><td>15</td><td>5</td>"));

  input.layers->text = "{\"times\": 1}";
  CHECK(ERROR_MESSAGE(report_json(input)).starts_with("2 l.json: expected tables"));
}

TEST_CASE("Figures that the data do not allow are absent, and the page is complete without them") {
  ReportInput input = example_input();
  input.judged.data.groups[0].points.resize(1);
  input.judged.data.groups[0].points[0].measured.sm_clock.reset();
  input.judged.validation = validate(input.gpu, true, input.judged.data);
  const Json report = report_json(input);
  for (const char* key : {"waves", "whole_space", "clock"}) {
    CHECK_FALSE(report.contains(key));
  }
  const std::string page = page_of(input);
  CHECK_FALSE(contains(page, "data-chart=\"clock\""));
  CHECK(page.ends_with("</html>\n"));
}

TEST_CASE("Markup in names is escaped in a page") {
  const std::string hostile = "</SCRIPT><img src=x onerror=alert(1)><!--";
  ReportInput input = example_input();
  input.command = input.gpu.product = input.gpu.name = hostile;
  const std::string page = page_of(input);
  CHECK_FALSE(contains(page, "<img"));
  CHECK_FALSE(contains(page, "<!--"));
  CHECK(contains(page, "&lt;/SCRIPT&gt;&lt;img src=x onerror=alert(1)&gt;"));
}

TEST_CASE("A page inserts unescaped only style, scripts and JSON made safe for scripts") {
  std::set<std::string> parts;
  const std::string page = read_file(kFolder / "page.html");
  for (std::size_t at = page.find("{{&"); at != std::string::npos; at = page.find("{{&", at + 1)) {
    parts.insert(page.substr(at + 3, page.find("}}", at) - at - 3));
  }
  CHECK(parts == std::set<std::string>{"chart_library", "report", "script", "specs", "style"});
}
