// The configurations that are tried for a problem: the product of a tile menu, stages, warpgroups,
// clusters, staging of C and rasters, sifted by legality.
//
// Left out as well, as never paying: tiles that C ends a whole wgmma row or column step before, and
// clusters wider than C; but for a problem that nothing else solves. Of several rasters that walk C
// in the same order one is tried, and one alone where all tiles run at the same time.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/spec/gpu_spec.h"
#include "model/tile/gemm_problem.h"
#include "model/tile/kernel_config.h"

namespace tilecast {

constexpr std::string_view kNeverPays = "never_pays";

struct Candidates {
  std::vector<KernelConfig> legal;
  std::map<std::string, int> rejected;          // kernels by reason: legality.h, or kNeverPays
  std::map<std::string, KernelConfig> example;  // the first of each reason
};

/// `schedules` empty means all. In a fixed order: equal inputs give equal lists. `all`: those that
/// never pay too. `threads` as parallel_for's.
Candidates enumerate_candidates(const GpuSpec& gpu, const GemmProblem& problem,
                                const std::vector<Schedule>& schedules, bool all = false,
                                unsigned threads = 1);

}  // namespace tilecast
