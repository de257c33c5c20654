// A caller's request, validated and converted to the model's types.
#pragma once

#include <tilecast/tilecast.h>

#include <filesystem>
#include <optional>
#include <string>

#include "kernels/gemm/gemm_args.h"
#include "model/base/regime.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

struct Request {
  GemmProblem problem;
  SumScale scale;
  i32 a_scale_stride, b_scale_stride;                     // in elements, for block scales
  i64 a_matrix_stride, b_matrix_stride, c_matrix_stride;  // in elements; 0: packed
  i64 residual_row = 0, residual_matrix_stride = 0;       // in elements; 0: as for C

  // Options:
  std::optional<std::string> gpu, config;
  std::filesystem::path config_folder;
  std::optional<std::filesystem::path> cache_folder;  // none: the default
  Regime regime;
  unsigned threads;
  bool use_calibration;
  bool programmatic;  // programmatic dependent launches
  bool check_groups;
};

/// Settings of tilecast_plan_tune.
struct Tuning {
  std::filesystem::path file;
  std::size_t candidates;
  bool again;  // measure even if the file has the problem
};

/// Throws StatusError that names the field. `options` may be null.
Request read_request(const tilecast_problem* problem, const tilecast_options* options);
Tuning read_tuning(const tilecast_tuning* tuning, const Request& request);

}  // namespace tilecast
