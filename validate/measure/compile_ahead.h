// Compiles kernels into the cubin cache on all cores, before anything is timed. Needs no GPU.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/jit/compile.h"
#include "kernels/jit/cubin_cache.h"

namespace tilecast {

struct CompileCounts {
  std::size_t kernels, rejected, failed;
  std::vector<std::string> faults;  // of the rejected and the failed, without repeats
};

/// Each different source once. `progress` gets how many are done, one call at a time. A source that
/// does not compile is counted and stops nothing.
CompileCounts compile_ahead(const std::vector<KernelSource>& sources, CubinCache& cache,
                            const std::function<void(std::size_t done, std::size_t all)>& progress);

}  // namespace tilecast
