// How many columns the tiles have that are tried for a problem: those of a fixed menu, and those
// with which the problem's tiles fill whole waves; of swapped operands those that hold all rows of
// C. Checked by: predict_test.cpp, swapped_operands_test.cpp.
#pragma once

#include <vector>

#include "model/gemm/config/schedule.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Of tiles of `block_m` rows.
std::vector<i32> tile_widths(const GpuSpec& gpu, const GemmProblem& problem, Schedule schedule,
                             i32 block_m);

/// Of swapped operands, whose problem is given as it is run: with which one tile, or two or a few,
/// hold all rows of the C that was asked for.
std::vector<i32> swapped_tile_widths(const GemmProblem& problem);

/// Whether swapped operands may be faster than operands in order.
bool swapping_pays(const GemmProblem& problem);

}  // namespace tilecast
