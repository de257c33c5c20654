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
  std::size_t index;      // index of the source
  std::string rejection;  // empty if the kernel is usable
  std::string error;      // error message; empty if compilation succeeded
  i32 registers;          // per thread at entry
  Seconds cpu_time;  // CPU time of the thread that compiled the kernel or read it from the cache
};

/// Compiles every source. `report` is called once per outcome, as outcomes complete, never
/// concurrently.
void compile_each(const std::vector<KernelSource>& sources, CubinCache& cache,
                  const std::function<void(const CompileOutcome&)>& report);

/// Returns the distinct sources, in order.
std::vector<KernelSource> different_sources(const std::vector<KernelSource>& sources);

struct CompileCounts {
  std::size_t kernels, rejected, failed;
  std::vector<std::string> faults;  // rejected and failed kernels: source, macros, reason
};

/// Compiles each distinct source once. `progress` receives the number done and is never called
/// concurrently. A source that fails to compile is counted and does not stop the others.
CompileCounts compile_ahead(
    const std::vector<KernelSource>& sources, CubinCache& cache,
    const std::function<void(std::size_t done, std::size_t all)>& progress = {});

}  // namespace tilecast
