#include <filesystem>
#include <set>
#include <string>

#include "model/gemm/problem/problem_text.h"
#include "model/ops/any_op.h"
#include "model/ops/short_config_text.h"
#include "tests/catch.h"
#include "validate/record/measurement_csv.h"

namespace tilecast {

TEST_CASE("Texts of committed rows survive reading and writing unchanged") {
  std::set<std::string> configs, problems;
  for (const char* name : {"fixed", "grouped", "grouped_k", "joules", "results", "swapped"}) {
    for (const auto& entry : std::filesystem::directory_iterator(
             std::filesystem::path("validate/data/h200_sxm") / name)) {
      const std::string path = entry.path().string();
      if (!path.ends_with(".csv") && !path.ends_with(".csv.gz")) {
        continue;
      }
      for (const MeasurementRow& row : read_measurements(path).rows) {
        const Point& point = row.measurement.point;
        if (!is_baseline(point.config)) {
          configs.insert(point.config);
        }
        if (std::holds_alternative<GemmProblem>(point.problem)) {
          problems.insert(to_text(point.problem));
        }
      }
    }
  }
  CHECK(configs.size() > 200);
  for (const std::string& text : configs) {
    CAPTURE(text);
    const AnyConfig config = parse_config(text);
    CHECK(to_text(config) == text);
    CHECK(parse_short_config(short_text(config)) == config);
  }
  CHECK(problems.size() > 20);
  for (const std::string& text : problems) {
    CHECK(to_text(parse_gemm_problem(text)) == text);
  }
}

}  // namespace tilecast
