// Times from CUPTI Activity records: the start and end on the GPU of each kernel and of each
// device-to-device copy by the runtime, in nanoseconds of CLOCK_MONOTONIC.
//
// CUPTI takes stamps on the GPU and interpolates them to the host clock, so single nanoseconds are
// not significant. Kernels inside CUDA graphs have records like any other.
#pragma once

#include <string_view>
#include <vector>

#include "model/base/integers.h"

namespace tilecast {

struct KernelSpan {
  std::string_view name;  // mangled name; lives as long as the program
  u64 start_ns, end_ns;
};

struct KernelSpans {
  std::vector<KernelSpan> spans;  // sorted by start
  u64 dropped = 0;                // number of records that CUPTI had no room for
  u64 without_stamp = 0;          // number of records without collected times; omitted from spans
};

/// 130001 for CUPTI of CUDA 13.0.1; 0 if unknown. Needs no GPU.
u32 cupti_version();

/// Collects records while it exists; only one at a time. Construct it before the CUDA context
/// exists.
class ActivityTimer {
 public:
  /// Throws Error with CUPTI's reason if records cannot be collected (cupti_error.h).
  ActivityTimer();
  ~ActivityTimer();
  ActivityTimer(const ActivityTimer&) = delete;
  ActivityTimer& operator=(const ActivityTimer&) = delete;

  /// Returns every kernel since the last call. The caller must have synchronised the device. Waits
  /// up to two seconds for `at_least` records, because CUPTI delivers them late.
  KernelSpans take(std::size_t at_least);
  /// Returns every device-to-device copy by the runtime since the last call; names are empty.
  KernelSpans take_copies(std::size_t at_least);
};

/// While it exists, an ActivityTimer of this process collects nothing, so that hardware counters
/// are read without instrumentation. The device must be idle at both ends.
class ActivityPause {
 public:
  ActivityPause();
  ~ActivityPause();
  ActivityPause(const ActivityPause&) = delete;
  ActivityPause& operator=(const ActivityPause&) = delete;
};

}  // namespace tilecast
