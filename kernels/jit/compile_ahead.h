// Compiles kernels into the cubin cache on all cores, before anything is timed. Needs no GPU.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/jit/compile.h"
#include "kernels/jit/cubin_cache.h"
#include "model/base/units.h"

namespace tilecast {

struct CompileOutcome {
  std::size_t index;      // of the source
  std::string rejection;  // of the kernel; empty if usable
  std::string error;      // why there is no kernel; empty if there is one
  i32 registers;          // per thread at entry
  Seconds cpu_time;       // of the thread that compiled it, or read it from the cache
};

/// Compiles every source. `report` gets one outcome at a time, as they come.
void compile_each(const std::vector<KernelSource>& sources, CubinCache& cache,
                  const std::function<void(const CompileOutcome&)>& report);

/// The sources without repeats, in order.
std::vector<KernelSource> different_sources(const std::vector<KernelSource>& sources);

struct CompileCounts {
  std::size_t kernels, rejected, failed;
  std::vector<std::string> faults;  // of the rejected and the failed: source, macros, why
};

/// Each different source once. `progress` gets how many are done, one call at a time. A source that
/// does not compile is counted and stops nothing.
CompileCounts compile_ahead(
    const std::vector<KernelSource>& sources, CubinCache& cache,
    const std::function<void(std::size_t done, std::size_t all)>& progress = {});

}  // namespace tilecast
