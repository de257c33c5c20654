// A caller's GEMM, validated and converted to the model's types.
#pragma once

#include <tilecast/tilecast.h>

#include "kernels/gemm/gemm_args.h"
#include "library/request.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

struct GemmRequest;

/// Checks the arguments of a run except the workspace; throws StatusError.
class GemmArgumentCheck {
 public:
  explicit GemmArgumentCheck(const GemmRequest& request);
  tilecast_status operator()(const tilecast_arguments& arguments) const noexcept;

 private:
  bool alpha_beta_, biased_, scaled_operands_, in_groups_;
  bool block_scales_, loads_, scales_c_, finds_amax_;
};

struct GemmRequest : Request {
  using Config = KernelConfig;
  using Arguments = tilecast_arguments;
  using ArgumentCheck = GemmArgumentCheck;

  GemmProblem problem;
  SumScale scale;
  i32 a_scale_stride, b_scale_stride;                     // strides in elements, for block scales
  i64 a_matrix_stride, b_matrix_stride, c_matrix_stride;  // strides in elements; packed if 0
  i64 residual_row = 0, residual_matrix_stride = 0;       // strides in elements; same as C if 0
};

/// Throws a StatusError that names the field. `options` may be null.
GemmRequest read_request(const tilecast_problem* problem, const tilecast_options* options);

}  // namespace tilecast
