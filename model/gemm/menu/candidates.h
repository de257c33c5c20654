// The configurations tried for a problem: the product of tile sizes, stages, warpgroups, clusters,
// stagings of C and rasters, filtered by legality.
//
// Dominated configurations are also excluded, unless nothing else solves the problem: tiles that
// exceed C by a whole wgmma row or column step, clusters of which half lies outside C, and
// schedules without a ring of stages, which are teaching kernels (kernels/gemm/README.md). Over
// 1,902 problems, excluding them costs 0.1 % of the best measured kernel's speed (geometric mean).
//
// If several configurations have the same machine code and tile order, only one is tried.
// Equivalent rasters are merged (normal_order.h). If all tiles run at the same time, all rasters
// are equivalent, and grid=tiles equals grid=resident unless C is staged in the ring.
// stream_k_hybrid equals stream_k if it streams all tiles, and stream_k split_k if it cuts a single
// tile into equal parts.
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
/// Reason: the schedule splits K, and no split is worthwhile on this problem.
constexpr std::string_view kNoSplitPays = "no_split_pays";

/// Candidates of a problem. Rejection reasons come from legality.h and the two constants above.
using Candidates = CandidatesOf<KernelConfig>;

/// Whether the GPU's default search space contains the schedule.
bool is_on_menu(const GpuSpec& gpu, Schedule schedule);

/// Returns the schedules of the GPU's default search space; `all`: also dominated ones.
std::vector<Schedule> menu_schedules(const GpuSpec& gpu, bool all = false);

/// Empty `schedules` means menu_schedules. The order is deterministic. `all` includes dominated
/// configurations and aliases. `threads` as in parallel_for.
Candidates enumerate_candidates(const GpuSpec& gpu, const GemmProblem& problem,
                                const std::vector<Schedule>& schedules, bool all = false,
                                unsigned threads = 1);

/// Candidates grouped by kernel, each with its tile orders. There are ten times as many
/// configurations as kernels.
struct KernelList {
  struct Kernel {
    KernelConfig config;     // kernel in its first tile order
    std::size_t begin, end;  // indices of its candidates
    std::size_t orders;      // place of its first tile order
  };
  std::vector<Kernel> kernels;
  std::vector<Raster> orders;  // neighbours with the same orders share them

  /// Number of candidates.
  std::size_t size() const { return kernels.empty() ? 0 : kernels.back().end; }
  std::span<const Raster> orders_of(const Kernel& kernel) const {
    return std::span(orders).subspan(kernel.orders, kernel.end - kernel.begin);
  }
  /// Returns a candidate by its index.
  KernelConfig candidate(const Kernel& kernel, std::size_t index) const {
    KernelConfig config = kernel.config;
    config.raster = orders[kernel.orders + index - kernel.begin];
    return config;
  }
  /// Adds a kernel in these tile orders.
  void add(const KernelConfig& config, std::span<const Raster> own);
};

struct CandidateKernels : Rejections<KernelConfig> {
  KernelList legal;  // legal kernels for the problem's operands
};

/// Returns the legal kernels of enumerate_candidates, and the rejections.
CandidateKernels enumerate_kernels(const GpuSpec& gpu, const GemmProblem& problem,
                                   const std::vector<Schedule>& schedules, bool all = false,
                                   unsigned threads = 1);

/// Groups neighbours that differ only in tile order.
KernelList kernels_of(std::span<const KernelConfig> candidates);

}  // namespace tilecast
