// Predictions of one kernel on an H200, for tests that compare equivalent problems.
#pragma once

#include <span>
#include <string_view>

#include "model/gemm/config/kernel_config_text.h"
#include "model/predict/predict.h"
#include "tests/catch.h"
#include "tests/h200.h"

namespace tilecast {

/// An H200 without the learned correction.
inline const GpuSpec& h200_physics() {
  static const GpuSpec physics = [] {
    GpuSpec gpu = calibrated_h200();
    gpu.learned = nullptr;
    return gpu;
  }();
  return physics;
}

inline Prediction predicted(const GemmProblem& problem, std::string_view config, Method method,
                            const GpuSpec& gpu = calibrated_h200()) {
  return rank_one(gpu, problem, parse_config(config), Regime::kBurst, Inputs::kNormal, method)
      .predictions.front();
}

/// Checks that `left` and `right` get the same prediction for each configuration, from the analytic
/// model and from the simulator.
inline void check_same(const GemmProblem& left, const GemmProblem& right,
                       std::span<const char* const> configs,
                       const GpuSpec& gpu = calibrated_h200()) {
  for (const char* const config : configs) {
    for (const Method method : {Method::kAnalytic, Method::kSimulated}) {
      INFO(to_text(left) << " and " << to_text(right) << " " << config);
      const Prediction a = predicted(left, config, method, gpu);
      const Prediction b = predicted(right, config, method, gpu);
      CHECK(a.time == b.time);
      CHECK(a.cycles == b.cycles);
      CHECK(a.tflops == b.tflops);
      CHECK(a.dram_read == b.dram_read);
      CHECK(a.dram_write == b.dram_write);
      CHECK(a.power == b.power);
    }
  }
}

}  // namespace tilecast
