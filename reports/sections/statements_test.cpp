#include "model/tile/kernel_config_text.h"
#include "reports/example_report.h"
#include "reports/sections/sections.h"
#include "tests/catch.h"

using namespace tilecast;

namespace {

constexpr const char* kGroup1 =
    "persistent:tile=128x256x64,stages=3,warpgroups=2x1,ctas=1,inflight=1,c_slots=2,"
    "raster=grouped_m,group=1,walk=strided";
constexpr const char* kGroup8 =
    "persistent:tile=128x256x64,stages=3,warpgroups=2x1,ctas=1,inflight=1,c_slots=2,"
    "raster=grouped_m,group=8,walk=strided";
constexpr const char* kFour =
    "persistent:tile=128x256x64,stages=4,warpgroups=2x1,ctas=1,inflight=1,c_slots=2,"
    "raster=grouped_m,group=8,walk=strided";

/// Verdict and figure of the statement that begins so.
std::pair<std::string, std::string> verdict(const std::vector<Measurement>& rows,
                                            const std::string& statement) {
  ReportInput input = example_input(rows);
  input.published.push_back({.problem = input.judged.groups.front().problem});
  const DataTable table = statements_section(input)->tables.front();
  for (const std::vector<Cell>& row : table.rows) {
    if (std::get<std::string>(row[0]).starts_with(statement)) {
      return {std::get<std::string>(row[table.column("verdict")]),
              std::get<std::string>(row[table.column("figure")])};
    }
  }
  return {};
}

}  // namespace

TEST_CASE("Grouping does not help unless one pair gains two per cent") {
  const Measurement plain = example_measurement(kGroup1, Seconds{103e-6});
  const auto gains = verdict({plain, example_measurement(kGroup8, Seconds{100e-6})}, "Grouping");
  CHECK(gains.first == "not confirmed");
  CHECK(gains.second.starts_with("grouping gains 1.03 in one pair"));
  CHECK(verdict({plain, example_measurement(kGroup8, Seconds{102e-6})}, "Grouping").first ==
        "confirmed");
  CHECK(verdict({plain}, "Grouping").first == "not testable here");
}

TEST_CASE("Three buffers suffice where a fourth gains less than two per cent") {
  const Measurement three = example_measurement(kGroup8, Seconds{100e-6});
  CHECK(verdict({three, example_measurement(kFour, Seconds{99e-6})}, "Three").first == "confirmed");
  CHECK(verdict({three, example_measurement(kFour, Seconds{97e-6})}, "Three").first ==
        "not confirmed");
  CHECK(verdict({three}, "Three").first == "not testable here");
}
