// Source and architecture of every kernel. Both follow from its schedule: kernels/gemm has one
// source per schedule. model/gemm/rules/kernel_rules.h determines which problems a kernel accepts.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"

namespace tilecast {

struct GemmKernelInfo {
  Schedule schedule;
  std::string source;             // name of the embedded source
  std::string_view architecture;  // the only architecture that can run it
};

std::span<const GemmKernelInfo> gemm_kernels();

const GemmKernelInfo& gemm_kernel_info(Schedule schedule);

/// Entry point of every GEMM kernel.
constexpr const char* kGemmEntry = "tilecast_gemm";

}  // namespace tilecast
