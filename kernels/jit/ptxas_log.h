// What ptxas says of a kernel in NVRTC's log (with --ptxas-options=-v), and whether we accept it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/base/integers.h"
#include "model/base/units.h"

namespace tilecast {

struct PtxasReport {
  i32 registers;  // per thread, at entry
  Bytes stack_frame, spill_stores, spill_loads;
  /// Performance notes, "C7511: wgmma.mma_async instructions are serialized ...", without repeats.
  std::vector<std::string> notes;
};

/// Of a log about one kernel. Throws Error where the log does not state registers and stack.
PtxasReport parse_ptxas_log(std::string_view log);

/// Why a kernel with this report must not be run or timed; empty if it may. Refused are spills, a
/// stack frame, and the notes that mean that asynchrony was lost: C7508 (setmaxnreg ignored) and
/// C7510 to C7519 (wgmma serialised, waits or fences injected).
std::string rejection(const PtxasReport& report);

}  // namespace tilecast
