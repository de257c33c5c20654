// How long a report takes once its predictions are stored: from 10,000 rows as text to every file.
#include <fmt/format.h>

#include <cstdio>
#include <ctime>

#include "model/base/file.h"
#include "reports/build_report.h"
#include "reports/example_report.h"
#include "reports/prediction_cache.h"
#include "reports/render_report.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"
#include "validate/record/measurement_csv.h"

using namespace tilecast;

namespace {

constexpr double kBar = 5;  // seconds on two processors; this uses one
constexpr i64 kShapes = 100;
constexpr i32 kGroups = 50;

/// Kernels that differ in their group, in both regimes, over `kShapes` widths.
std::vector<Measurement> many_rows() {
  std::vector<Measurement> rows;
  for (i64 shape = 1; shape <= kShapes; ++shape) {
    for (i32 group = 1; group <= kGroups; ++group) {
      for (const Regime regime : {Regime::kBurst, Regime::kSustained}) {
        KernelConfig config = example_config(4);
        config.raster.group = group;
        Measurement row =
            example_measurement(to_text(config), Seconds{1e-6 * static_cast<double>(shape + group)},
                                {4096, 256 * shape, 4096});
        row.point.regime = regime;
        row.power = Watts{600};
        rows.push_back(row);
      }
    }
  }
  return rows;
}

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

TEST_CASE("A report of ten thousand rows with stored predictions takes at most five seconds") {
  TemporaryFolder folder;
  const std::string rows = measurement_csv(many_rows());
  const LoadedGpu gpu = load_gpu("h200_sxm", false);
  const u64 base = base_of(gpu, "model");
  const AnyProblem problem = GemmProblem{{4096, 4096, 4096}, ElementType::kFp16, Layout::kTn};
  const Prediction one =
      predict_config(gpu.spec, problem, example_config(4), Regime::kBurst, Inputs::kNormal);

  // Stored: one prediction under the names of all, for what they say takes no time to write down.
  const auto input_of = [&](PredictionCache& cache, const Predictor& model) {
    ReportInput input{.gpu = gpu};
    input.data = {parse_measurements(rows, "rows.csv")};
    const Predictor predict = [&](const AnyProblem& p, const AnyConfig& c, Regime r, Inputs i) {
      return cache.get(base, p, c, r, i, model);
    };
    input.judged = join_points(input.data, predict, {"h200_sxm"});
    input.pool = join_points(input.data, predict, {"h200_sxm"});
    return input;
  };
  PredictionCache made;
  input_of(made, [&](const AnyProblem&, const AnyConfig& config, Regime, Inputs) {
    Prediction prediction = one;
    prediction.config = config;
    return prediction;
  });
  REQUIRE(made.made() == static_cast<std::size_t>(kShapes * kGroups * 2));
  const std::string stored = made.text();

  const double begin = processor_seconds();
  PredictionCache cache = PredictionCache::parse(stored, "cache.csv");
  const Report report = build_report(
      input_of(cache, [](const AnyProblem&, const AnyConfig&, Regime, Inputs) -> Prediction {
        throw ConfigError("a prediction that was not stored");
      }));
  const auto files = report_files(report, {"reports/page", "/* library */", "licences"}, Figures());
  write_report(files, folder / "report");
  const double seconds = processor_seconds() - begin;
  std::printf("report of 10000 rows: %.2f s\n", seconds);
  CHECK(report.table("points")->rows.size() == 10000);
  CHECK(files.at("index.html").size() < 4 * 1024 * 1024 - 1200 * 1024);  // the library's share
  CHECK(seconds < kBar);
}
