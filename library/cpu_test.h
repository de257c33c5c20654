// Options, plans and errors for tests of the library without a GPU.
#pragma once

#include <tilecast/tilecast.h>

#include <string>

#include "tests/catch.h"

namespace tilecast {

inline tilecast_options on_h200() {
  tilecast_options options = TILECAST_OPTIONS_INIT;
  options.gpu = "h200_sxm";
  options.threads = 1;
  return options;
}

inline std::string error() { return tilecast_error_text(); }

/// A forecast whose size is set.
inline tilecast_forecast blank_forecast() {
  tilecast_forecast forecast{};
  forecast.struct_size = sizeof forecast;
  return forecast;
}

/// Forecasts the fastest kernel.
inline tilecast_status predict_one(const tilecast_problem& problem, const tilecast_options& options,
                                   tilecast_forecast forecast = blank_forecast()) {
  size_t count = 1;
  return tilecast_predict(&problem, &options, &forecast, &count);
}
inline double forecast_us(const tilecast_problem& problem, const tilecast_options& options) {
  tilecast_forecast forecast = blank_forecast();
  size_t count = 1;
  REQUIRE(tilecast_predict(&problem, &options, &forecast, &count) == TILECAST_OK);
  return forecast.time_us;
}

/// A plan that is not cached and is destroyed at the end of its scope.
class TestPlan {
 public:
  TestPlan(const tilecast_problem& problem, tilecast_options options) {
    options.cache_dir = "";
    if (tilecast_plan_create(&problem, &options, &plan_) != TILECAST_OK) {
      FAIL(error());
    }
  }
  TestPlan(const tilecast_attention& problem, const tilecast_options& options) {
    if (tilecast_attention_plan_create(&problem, &options, &plan_) != TILECAST_OK) {
      FAIL(error());
    }
  }
  ~TestPlan() { tilecast_plan_destroy(plan_); }
  TestPlan(const TestPlan&) = delete;
  TestPlan& operator=(const TestPlan&) = delete;

  tilecast_plan* get() const { return plan_; }
  size_t workspace_bytes() const {
    size_t bytes = 0;
    REQUIRE(tilecast_plan_workspace(plan_, &bytes) == TILECAST_OK);
    return bytes;
  }
  /// Runs with A, B and C in one piece of memory, after `change`; returns the status.
  tilecast_status run(auto change) const {
    alignas(16) static char memory[32];
    tilecast_arguments arguments = TILECAST_ARGUMENTS_INIT;
    arguments.a = arguments.b = arguments.c = memory;
    change(arguments);
    return tilecast_plan_run(plan_, &arguments, nullptr);
  }

 private:
  tilecast_plan* plan_ = nullptr;
};

}  // namespace tilecast
