// Compares the model with measurements of mma.sync kernels on an H200, for problems to which no
// constant was fitted. Runs in the repository root.
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/base/text.h"
#include "model/gemm/config/kernel_config_text.h"
#include "model/predict/predict.h"
#include "tests/catch.h"
#include "tests/h200.h"
#include "validate/compare/statistics.h"
#include "validate/record/csv_text.h"
#include "validate/record/stored_text.h"

namespace tilecast {
namespace {

constexpr const char* kRows = "validate/data/h200_sxm/multistage/durations.csv.gz";

struct Measured {
  AnyProblem problem;
  KernelConfig config;
  std::string group;  // problem, type and layout
  double us, cycles;
};

double number(std::string_view text) { return parse_number(text).value(); }

std::vector<Measured> judged_rows() {
  std::vector<Measured> rows;
  for (const CsvRow& row : csv_rows(read_stored_text(kRows), kRows)) {
    if (row.text("part") != "judge") {
      continue;
    }
    const auto side = [&](const char* name) { return std::llround(row.get(name, number)); };
    const GemmProblem problem{{side("m"), side("n"), side("k")},
                              row.get("dtype", parse_element_type),
                              row.get("layout", parse_layout)};
    rows.push_back({problem, parse_kernel_config(row.text("config")), to_text(AnyProblem{problem}),
                    row.get("time_us", number), row.get("cycles", number)});
  }
  return rows;
}

TEST_CASE("mma.sync kernels are predicted on problems to which nothing was fitted") {
  Values off;
  std::map<std::string, std::vector<std::pair<double, double>>> groups;  // predicted, measured
  for (const Measured& row : judged_rows()) {
    try {
      const Prediction p = predict_config(h200(), row.problem, row.config, Regime::kBurst,
                                          Inputs::kNormal, Method::kAnalytic);
      off.push_back(p.cycles.value / row.cycles - 1);
      groups[row.group].emplace_back(p.time.value, row.us);
    } catch (const ConfigError&) {
      continue;  // the register rule rejects it
    }
  }
  Values picks;
  for (const auto& [group, kernels] : groups) {
    if (kernels.size() < 4) {
      continue;
    }
    const auto by_time = [](const auto& a, const auto& b) { return a.second < b.second; };
    picks.push_back(std::min_element(kernels.begin(), kernels.end(), by_time)->second /
                    std::min_element(kernels.begin(), kernels.end())->second);
  }
  const ErrorFigures error = *error_figures(off);
  std::printf("%zu mma.sync kernels: cycles %.3f off, bias %+.3f, first pick %.3f of the best\n",
              off.size(), error.mape, error.bias, mean(picks));
  CHECK(off.size() > 220);
  CHECK(error.mape < 0.06);    // 0.056 on 2026-11-27
  CHECK(mean(picks) > 0.975);  // 0.985
}

}  // namespace
}  // namespace tilecast
