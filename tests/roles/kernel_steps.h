// A kernel's control flow in the words of the simulator's: the calls of the threads that stand for
// its roles, as model/gemm/sim/kernel/step_log.h has the processes'.
//
// Of a warpgroup its first thread stands for all, with the next few where a cluster has others to
// tell that a stage is free; of the producer its one thread; of the warps that clear sums the
// first.
//
// What is checked on the way, of the kernel alone: that the bytes which a stage's barrier expects
// are those that the cluster's bulk copies bring to it.
#pragma once

#include <map>
#include <set>
#include <utility>

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/group_rows.h"
#include "model/gemm/sim/kernel/step_log.h"
#include "tests/roles/kernels.h"

namespace tilecast {

/// Of a load whose slice of A does not exist: nothing tells which tile it is of.
constexpr u32 kUnknownTile = ~u32{0};

struct KernelSteps {
  StepLog log;
  i32 most_copies = 0;                     // bulk copies of one CTA for a K block
  i32 fewest_wgmmas = 0, most_wgmmas = 0;  // of a warpgroup for a K block
  // First rows and columns, in a tile, of what each warpgroup stores by bulk copies.
  std::map<i32, std::set<std::pair<i32, i32>>> stored_parts;
};

/// A row of A or C, and the groups.
struct GroupedRow {
  u32 tile;         // in CTA tiles, among those of all groups
  i64 row_in_tile;  // counted from the tile's first
};
GroupedRow grouped_row(const GroupRows& groups, const Tiling& tiling, u32 group, i64 row);
/// The first row of a tile.
i64 first_row_of(const GroupRows& groups, const Tiling& tiling, u32 tile);

/// The whole grid, with room for `resident` workers. Throws where the kernel contradicts itself.
KernelSteps kernel_steps(const HostKernel& kernel, const KernelConfig& config,
                         const GemmProblem& problem, u32 resident);

}  // namespace tilecast
