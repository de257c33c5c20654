#include "reports/report_json.h"

#include <nlohmann/json.hpp>

#include "model/base/file.h"
#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

using namespace tilecast;

namespace {

DataTable example_table() {
  return {"t",
          "T",
          {{.key = "schedule", .title = "schedule"},
           {.key = "us", .title = "time", .digits = 3},
           {.key = "hidden", .title = "", .on_page = false}},
          {{std::string("b"), 1.23456, 1.0},
           {std::string("a"), Cell(), 2.0},
           {std::string("b"), 2000.0, 3.0}}};
}

}  // namespace

TEST_CASE("Words are a dictionary, numbers are rounded, absent cells are null") {
  CHECK(table_json(example_table()).dump() ==
        "{\"rows\":3,\"columns\":{\"schedule\":{\"words\":[\"b\",\"a\"],\"at\":[0,1,0]},"
        "\"us\":{\"values\":[1.23,null,2000]}}}");
}

TEST_CASE("A chart's specification gets the list of schedules, in order") {
  TemporaryFolder folder;
  write_file(folder / "charts/c.vl.json", R"({"scale":{"domain":"@schedules"}})");
  Report report;
  report.sections.push_back({.id = "s", .title = "S"});
  report.sections.front().charts.push_back({"c", "C", "", {"t"}});
  report.sections.front().tables.push_back(example_table());
  const nlohmann::ordered_json json = charts_json(report, folder / ".");
  CHECK(json["charts"]["c"]["spec"]["scale"]["domain"].dump() == R"(["a","b"])");
  CHECK(json["tables"].contains("t"));

  write_file(folder / "charts/c.vl.json", "{");
  CHECK(error_message([&] { charts_json(report, folder / "."); }).starts_with("2 "));
}
