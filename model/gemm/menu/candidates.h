// The configurations that are tried for a problem: the product of a tile menu, stages, warpgroups,
// clusters, staging of C and rasters, sifted by legality.
//
// Left out as well, as never paying, except for problems that nothing else solves: tiles that C
// ends a whole wgmma row or column step before, clusters of which half reaches over C, and
// schedules without a ring of stages. Those are rungs of the ladder (kernels/gemm/README.md);
// without them the best measured kernel of 1,902 problems keeps 0.999 of its speed in the geometric
// mean.
//
// One kernel has one name: among configurations with the same machine code and order of tiles, one
// is tried. Rasters of the same order are one (normal_order.h). If all tiles run at the same time,
// all rasters are one, and grid=tiles is grid=resident unless C is staged in the ring.
// stream_k_hybrid is stream_k if it streams all tiles.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "model/gemm/config/kernel_config.h"
#include "model/gemm/problem/gemm_problem.h"
#include "model/op/menu.h"
#include "model/spec/gpu_spec.h"

namespace tilecast {

constexpr std::string_view kNeverPays = "never_pays";
/// The tile's schedule splits K, and no split can pay on this problem.
constexpr std::string_view kNoSplitPays = "no_split_pays";

/// Reasons are those of legality.h, or these.
using Candidates = CandidatesOf<KernelConfig>;

/// Whether the schedule is searched where none is named: those that can pay, on their GPU.
bool is_on_menu(const GpuSpec& gpu, Schedule schedule);

/// The GPU's schedules; `all`: those that never pay too.
std::vector<Schedule> menu_schedules(const GpuSpec& gpu, bool all = false);

/// `schedules` empty means menu_schedules. In a fixed order: equal inputs give equal lists. `all`:
/// those that never pay and a kernel's other names too. `threads` as parallel_for's.
Candidates enumerate_candidates(const GpuSpec& gpu, const GemmProblem& problem,
                                const std::vector<Schedule>& schedules, bool all = false,
                                unsigned threads = 1);

/// Candidates as kernels, each with the orders of tiles that it is tried in: ten times as many
/// configurations are tried as there are kernels.
struct KernelList {
  struct Kernel {
    KernelConfig config;     // in the first of its orders
    std::size_t begin, end;  // of its orders, in `orders`
  };
  std::vector<Kernel> kernels;
  std::vector<Raster> orders;  // one for each candidate

  /// A candidate, the kernel's by its place in `orders`.
  KernelConfig candidate(const Kernel& kernel, std::size_t order) const {
    KernelConfig config = kernel.config;
    config.raster = orders[order];
    return config;
  }
};

struct CandidateKernels : Rejections<KernelConfig> {
  KernelList legal;  // for the problem's operands
};

/// As enumerate_candidates.
CandidateKernels enumerate_kernels(const GpuSpec& gpu, const GemmProblem& problem,
                                   const std::vector<Schedule>& schedules, bool all = false,
                                   unsigned threads = 1);

/// Neighbours that differ in their order alone are one kernel.
KernelList kernels_of(std::span<const KernelConfig> candidates);

}  // namespace tilecast
