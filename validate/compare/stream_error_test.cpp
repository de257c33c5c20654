// Error of the analytic model on memory-bound kernels: committed H200 rows. fp32 rows were fitted
// to (except in_flight), fp16 and bf16 rows were held out. Needs the repository root as current
// directory.
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "model/ops/any_op.h"
#include "model/predict/predict.h"
#include "model/spec/load_gpu.h"
#include "tests/catch.h"
#include "validate/compare/join.h"
#include "validate/compare/statistics.h"
#include "validate/compare/validation.h"

namespace tilecast {
namespace {

Validation validation_of(bool fp32) {
  std::vector<MeasurementFile> files;
  for (const auto& entry : std::filesystem::directory_iterator("validate/data/h200_sxm/stream")) {
    if (entry.path().extension() != ".gz") {
      continue;
    }
    MeasurementFile file = read_measurements(entry.path().string());
    std::erase_if(file.rows, [&](const MeasurementRow& row) {
      return (dtype_of(row.measurement.point.problem) == ElementType::kFp32) != fp32;
    });
    if (!file.rows.empty()) {
      files.push_back(std::move(file));
    }
  }
  const LoadedGpu gpu = load_gpu("h200_sxm", false);
  const auto predictor = [&](const AnyProblem& problem, const AnyConfig& config, Regime regime,
                             Inputs inputs) {
    return predict_config(gpu.spec, problem, config, regime, inputs);
  };
  return validate(gpu.spec, false, join_points(files, predictor, {gpu.spec.name}));
}

}  // namespace

TEST_CASE("Memory-bound times are within 5 %, and 90 % inside intervals, which are narrow") {
  CHECK(load_gpu("h200_sxm", false).spec.stream->interval < 0.1);
  const Validation fitted = validation_of(true), left_out = validation_of(false);
  CHECK(fitted.points > 250);
  CHECK(left_out.points > 60);
  CHECK(fitted.time.at(Regime::kBurst).mape < 0.03);
  CHECK(left_out.time.at(Regime::kBurst).mape < 0.05);
  // The interval is computed from all rows. It contains 50 of the 67 held-out points; all seven
  // additions of 512x1024 are outside.
  const auto inside = [](const Validation& part) {
    return part.interval->coverage_90 * static_cast<double>(part.points);
  };
  CHECK(inside(fitted) + inside(left_out) >=
        0.9 * static_cast<double>(fitted.points + left_out.points));
  CHECK(fitted.interval->coverage_90 >= 0.9);
  CHECK(left_out.interval->coverage_90 >= 0.7);
}

TEST_CASE(
    "The copy of 8 GiB that predict recommends was measured, and is faster than the runtime's") {
  const LoadedGpu gpu = load_gpu("h200_sxm", false);
  const StreamProblem problem{1, i64{1} << 31, ElementType::kFp32, Op::kMemcpy};
  const Ranking ranking =
      rank_candidates(gpu.spec, problem, {}, Regime::kBurst, Inputs::kNormal, 1);
  const std::string pick = to_text(ranking.predictions.front().config);
  std::optional<Seconds> picked, runtime;
  for (const MeasurementRow& row :
       read_measurements("validate/data/h200_sxm/stream/in_flight_8_gib.csv.gz").rows) {
    const Measurement& m = row.measurement;
    if (!(m.point.problem == AnyProblem{problem}) || !m.time) {
      continue;
    }
    if (m.point.config == pick) {
      picked = m.time->median;
    } else if (m.point.config == kRuntimeCopy) {
      runtime = m.time->median;
    }
  }
  REQUIRE(picked);
  REQUIRE(runtime);
  CHECK(*picked < *runtime);
}

}  // namespace tilecast
