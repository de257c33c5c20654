#include "reports/figures.h"

#include "model/base/file.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace tilecast;

namespace {

Report example_report(double value) {
  Report report;
  report.sections.push_back({.id = "s", .title = "S"});
  report.sections.front().charts.push_back({"c", "C", "", {"t"}});
  report.sections.front().tables.push_back({"t", "T", {{.key = "a", .title = "A"}}, {{value}}});
  return report;
}

}  // namespace

TEST_CASE("A figure is drawn again only when its rows changed") {
  TemporaryFolder folder;
  write_file(folder / "charts/c.vl.json", "{}");
  int times = 0;
  const DrawFigures draw = [&](const std::string&) {
    ++times;
    return std::map<std::string, std::string>{{"c", "<svg/>\n"}};
  };
  const Figures first = figures_of(example_report(1), folder / ".", folder / "figures", draw);
  REQUIRE(first.contains("c"));
  CHECK(times == 1);
  write_file(folder / "figures/c.svg", first.at("c"));
  CHECK(figures_of(example_report(1), folder / ".", folder / "figures", draw) == first);
  CHECK(times == 1);
  CHECK(figures_of(example_report(2), folder / ".", folder / "figures", draw) != first);
  CHECK(times == 2);
}

TEST_CASE("Without a way to draw, figures that hold are kept and stale ones are absent") {
  TemporaryFolder folder;
  write_file(folder / "charts/c.vl.json", "{}");
  const DrawFigures draw = [](const std::string&) {
    return std::map<std::string, std::string>{{"c", "<svg/>\n"}};
  };
  const Figures drawn = figures_of(example_report(1), folder / ".", folder / "figures", draw);
  write_file(folder / "figures/c.svg", drawn.at("c"));
  CHECK(figures_of(example_report(1), folder / ".", folder / "figures", {}) == drawn);
  CHECK(figures_of(example_report(2), folder / ".", folder / "figures", {}).empty());
}
