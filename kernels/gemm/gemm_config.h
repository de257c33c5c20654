// What device code is a template on: `Config`, a type of constants that kernels/jit/gemm_source.cpp
// writes out for a configuration and a kind of problem, each with its meaning, and that
// `tilecast emit` shows. In it is what must be constant, and whether tiles lie on a Hilbert curve,
// which is a third of a kernel's code. Bands, walk, shape and grid are run-time arguments.
#pragma once

#include "kernels/gemm/gemm_args.h"
#include "model/gemm/config/kernel_config.h"
#include "model/gemm/config/register_plan.h"
#include "model/gemm/config/smem_layout.h"
#include "model/gemm/output/steps.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/gemm/problem/problem_kind.h"

namespace tilecast {

/// A kernel's parameter: GemmArgs, and what it is compiled for.
template <class Config>
struct Args : GemmArgs {};

}  // namespace tilecast
