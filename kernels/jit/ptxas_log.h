// Parses ptxas's report of a kernel in NVRTC's log (with --ptxas-options=-v), and decides whether
// to accept the kernel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/integers.h"
#include "model/base/units.h"

namespace tilecast {

struct PtxasReport {
  i32 registers;  // registers per thread, at entry
  Bytes stack_frame, spill_stores, spill_loads;
  /// Distinct performance notes, "C7511: wgmma.mma_async instructions are serialized ...".
  std::vector<std::string> notes;
};

/// Parses a log about one kernel. Throws Error if the log does not state registers and stack.
PtxasReport parse_ptxas_log(std::string_view log);

/// Explains why a kernel with this report must not be run or timed; empty if it may be. Rejected
/// are spills, a stack frame, and notes of lost asynchrony: C7508 (setmaxnreg ignored) and C7510 to
/// C7519 (wgmma serialized, waits or fences injected).
std::string rejection(const PtxasReport& report);

}  // namespace tilecast
