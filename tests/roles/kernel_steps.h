// A kernel's control flow as the simulator's steps: translates the calls of one representative
// thread per role to the entries of model/gemm/sim/kernel/step_log.h.
//
// The first thread of a warpgroup represents all of it, together with the next few if it must
// notify other CTAs of a cluster that a stage is free. The producer has only one thread. The first
// of the warps that clear sums represents them all.
//
// Also checks the kernel itself: the bytes that a stage's barrier expects equal those of the
// cluster's bulk copies to it.
#pragma once

#include <map>
#include <set>
#include <utility>

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/sim/kernel/step_log.h"
#include "tests/roles/kernels.h"

namespace tilecast {

/// A load whose slice of A is out of bounds, so that its tile cannot be inferred.
constexpr u32 kUnknownTile = ~u32{0};

struct KernelSteps {
  StepLog log;
  i32 most_copies = 0;                     // bulk copies of one CTA per K block
  i32 fewest_wgmmas = 0, most_wgmmas = 0;  // per warpgroup and K block
  // First rows and columns, within a tile, of each warpgroup's bulk stores.
  std::map<i32, std::set<std::pair<i32, i32>>> stored_parts;
};

/// A row of A or C in a grouped problem.
struct GroupedRow {
  u32 tile;         // in CTA tiles, over all groups
  i64 row_in_tile;  // relative to the tile
};
GroupedRow grouped_row(const GroupRows& groups, const Tiling& tiling, u32 group, i64 row);
i64 first_row_of(const GroupRows& groups, const Tiling& tiling, u32 tile);

/// Runs the whole grid, with room for `resident` workers. Throws if the kernel contradicts itself.
KernelSteps kernel_steps(const HostKernel& kernel, const KernelConfig& config,
                         const GemmProblem& problem, u32 resident);

}  // namespace tilecast
