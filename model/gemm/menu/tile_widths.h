// Chooses tile widths to try for a problem: a fixed set, and widths whose tiles fill whole waves;
// for swapped operands, widths that hold all rows of C. Checked by: predict_test.cpp,
// swapped_operands_test.cpp.
#pragma once

#include <vector>

#include "model/gemm/config/schedule.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Returns the widths for tiles of `block_m` rows.
std::vector<i32> tile_widths(const GpuSpec& gpu, const GemmProblem& problem, Schedule schedule,
                             i32 block_m);

/// Returns the widths for swapped operands, with the problem as run: one, two or a few tiles hold
/// all rows of the user's C. If its B is [K,N], also those of tile_widths that tiles in order, of
/// whole slabs, cannot have.
std::vector<i32> swapped_tile_widths(const GpuSpec& gpu, const GemmProblem& problem,
                                     Schedule schedule, i32 block_m);

/// Whether swapped operands may be faster than operands in order.
bool swapping_pays(const GemmProblem& problem);

}  // namespace tilecast
