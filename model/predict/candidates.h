// The configurations that are tried for a problem: the product of a tile menu, stages, warpgroups,
// clusters and rasters, sifted by legality.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/spec/gpu_spec.h"
#include "model/tile/gemm_problem.h"
#include "model/tile/kernel_config.h"

namespace tilecast {

struct Candidates {
  std::vector<KernelConfig> legal;
  std::map<std::string, int> rejected;  // by reason (legality.h)
};

/// `schedules` empty means all. In a fixed order: equal inputs give equal lists.
Candidates enumerate_candidates(const GpuSpec& gpu, const GemmProblem& problem,
                                const std::vector<Schedule>& schedules);

}  // namespace tilecast
