// Times by CUPTI Activity records: when each kernel, and each of the runtime's device-to-device
// copies, began and ended on the GPU, as CUPTI stamps it, in nanoseconds of CLOCK_MONOTONIC.
//
// Stamps are taken on the GPU and interpolated to the host clock, so single nanoseconds mean
// nothing. Records of kernels inside CUDA graphs are delivered like any other.
#pragma once

#include <string_view>
#include <vector>

#include "model/base/integers.h"

namespace tilecast {

struct KernelSpan {
  std::string_view name;  // as mangled; lives as long as the program
  u64 start_ns, end_ns;
};

struct KernelSpans {
  std::vector<KernelSpan> spans;  // by start
  u64 dropped = 0;                // records that CUPTI had no room for
  u64 without_stamp = 0;          // records whose times could not be collected; left out of spans
};

/// 130001 for CUPTI of CUDA 13.0.1; 0 if it does not say. Needs no GPU.
u32 cupti_version();

/// Collects while it lives; one at a time. Construct it before the CUDA context exists.
class ActivityTimer {
 public:
  /// Throws Error with CUPTI's reason where records cannot be collected (cupti_error.h).
  ActivityTimer();
  ~ActivityTimer();
  ActivityTimer(const ActivityTimer&) = delete;
  ActivityTimer& operator=(const ActivityTimer&) = delete;

  /// Every kernel since the last call. The caller has synchronised the device. Waits up to two
  /// seconds for `at_least` records, as CUPTI hands them over in its own time.
  KernelSpans take(std::size_t at_least);
  /// The same of device-to-device copies by the runtime; their names are empty.
  KernelSpans take_copies(std::size_t at_least);
};

/// While it exists, an ActivityTimer of this process, if any, collects nothing: hardware counters
/// are read without instrumentation. The device is idle at both ends.
class ActivityPause {
 public:
  ActivityPause();
  ~ActivityPause();
  ActivityPause(const ActivityPause&) = delete;
  ActivityPause& operator=(const ActivityPause&) = delete;
};

}  // namespace tilecast
