// What a caller asks for, checked and in the model's own types.
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
  i32 a_scale_stride, b_scale_stride;                     // elements, of block scales
  i64 a_matrix_stride, b_matrix_stride, c_matrix_stride;  // elements; 0: as tight as rows are
  i64 residual_row = 0, residual_matrix_stride = 0;       // elements; 0: as C's

  // Options:
  std::optional<std::string> gpu, config;
  std::filesystem::path config_folder;
  std::optional<std::filesystem::path> cache_folder;  // none: the default
  Regime regime;
  unsigned threads;
  bool use_calibration;
  bool programmatic;  // launches of a plan's runs
  bool check_groups;
};

/// How tilecast_plan_tune measures.
struct Tuning {
  std::filesystem::path file;
  std::size_t candidates;
  bool again;  // though the file has the problem
};

/// Throws StatusError that names the field. `options` may be null.
Request read_request(const tilecast_problem* problem, const tilecast_options* options);
Tuning read_tuning(const tilecast_tuning* tuning, const Request& request);

}  // namespace tilecast
