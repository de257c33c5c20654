// The closed forms of the memory-bound family on the committed rows of the H200: those its losses
// were fitted to (fp32, all but the in_flight files), and fp16 and bf16, which the fit never saw.
// Runs in the repository root.
#include <filesystem>
#include <vector>

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
      return (row.measurement.point.problem.dtype == ElementType::kFp32) != fp32;
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

TEST_CASE("Memory-bound times are met within 5 %, in the fitted type and in those left out") {
  const Validation fitted = validation_of(true), left_out = validation_of(false);
  CHECK(fitted.points > 250);
  CHECK(left_out.points > 60);
  CHECK(fitted.time.at(Regime::kBurst).mape < 0.03);
  CHECK(left_out.time.at(Regime::kBurst).mape < 0.05);
}

}  // namespace tilecast
