// Chooses tile widths to try for a problem: a fixed set, and widths whose tiles fill whole waves;
// for swapped operands, widths that hold all rows of C. Checked by: predict_test.cpp,
// swapped_operands_test.cpp.
#pragma once

#include <vector>

#include "model/gemm/config/schedule.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

/// Heights of unswapped tiles.
inline constexpr i32 kTileHeights[] = {64, 128, 192, 256, 320};

/// Returns the widths to try for tiles of `block_m` rows.
std::vector<i32> tile_widths(const GpuSpec& gpu, const GemmProblem& problem, Schedule schedule,
                             i32 block_m);

/// Returns the widths to try for swapped operands; `problem` is as run. If tiles in order waste
/// rows, or `all`: one, two or a few tiles that hold all rows of the user's C. If its B is [K,N],
/// also the widths of tile_widths that unswapped tiles cannot have, because they consist of whole
/// slabs. In layout tn also those whose last wave is fuller than that of every unswapped tile as
/// large.
std::vector<i32> swapped_tile_widths(const GpuSpec& gpu, const GemmProblem& problem,
                                     Schedule schedule, i32 block_m, bool all);

/// Whether swapping A and B (C transposed) may be faster.
bool swapping_pays(const GemmProblem& problem);

}  // namespace tilecast
