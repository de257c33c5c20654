// Example measurements and predictors with known results, for the tests of this folder.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/base/error.h"
#include "model/gemm/config/kernel_config_text.h"
#include "validate/compare/join.h"
#include "validate/record/example_measurement.h"

namespace tilecast {

/// Returns a configuration; they differ only in their stages.
inline KernelConfig example_config(i32 stages) {
  return {.schedule = stages % 2 == 0 ? Schedule::kWarpSpecialized : Schedule::kPipelined,
          .tiling = {.block_m = 128,
                     .block_n = 128,
                     .block_k = 64,
                     .stages = stages,
                     .warpgroups_m = 2,
                     .warpgroups_n = 1,
                     .cluster_m = 1,
                     .cluster_n = 1,
                     .c_slots = 2},
          .ctas_per_sm = 1,
          .inflight = 1,
          .producer_registers = stages % 2 == 0 ? 40 : 0,
          .a_source = OperandSource::kShared,
          .instruction_n = 0,
          .grid = stages % 2 == 0 ? Grid::kResident : Grid::kTiles,
          .raster = {RasterKind::kGroupedM, 8, Walk::kStrided}};
}

/// Returns a verified row of example_config(stages), at 1.5 GHz.
inline Measurement example_row(i32 stages, Seconds time, GemmShape shape = {4096, 4096, 4096}) {
  return example_measurement(to_text(example_config(stages)), time, shape);
}

inline Measurement example_cublaslt_row(std::string_view which, Seconds time) {
  return example_measurement(std::string(which), time);
}

/// Predicts the given time for each number of stages, at 1 GHz, with an interval of +-10 %. Throws
/// for other configurations.
inline Predictor predict_times(std::map<i32, Seconds> times) {
  return [times = std::move(times)](const AnyProblem&, const AnyConfig& config, Regime, Inputs) {
    const auto found = times.find(std::get<KernelConfig>(config).tiling.stages);
    if (found == times.end()) {
      throw ConfigError("too many stages");
    }
    Prediction prediction{};
    prediction.config = config;
    prediction.time = found->second;
    prediction.closed_form_time = found->second;
    prediction.interval_low = found->second * 0.9;
    prediction.interval_high = found->second * 1.1;
    prediction.sm_clock = Hertz{1e9};
    prediction.cycles = cycles_of(prediction.time, prediction.sm_clock);
    return prediction;
  };
}

inline MeasurementFile example_file(const std::vector<Measurement>& measurements) {
  MeasurementFile file{.name = "x.csv"};
  for (const Measurement& measurement : measurements) {
    file.rows.push_back({static_cast<i64>(file.rows.size()) + 2, measurement});
  }
  return file;
}

inline JoinedData join_example(const std::vector<Measurement>& measurements,
                               const std::map<i32, Seconds>& predicted) {
  return join_points({example_file(measurements)}, predict_times(predicted), {"h200_sxm"});
}

}  // namespace tilecast
