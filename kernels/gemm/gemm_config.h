// The template parameter of device code: `Config`, a type of constants that
// kernels/jit/gemm_source.cpp generates for a configuration and a kind of problem. Each constant
// has a description; `tilecast emit` shows them. Config contains only what must be constant, and
// whether tiles follow a Hilbert curve, because that code is a third of a kernel's. Swizzle groups,
// walk, shape and grid are run-time arguments.
#pragma once

#include "kernels/gemm/gemm_args.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/config/register_plan.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/output/steps.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/gemm/problem/problem_kind.h"

namespace tilecast {

/// A kernel's parameter: GemmArgs, typed by Config.
template <class Config>
struct Args : GemmArgs {};

}  // namespace tilecast
