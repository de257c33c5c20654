// Times a launch under its own continuous load: launches without a gap for at least 250 ms, then a
// window of another second, or of the requested length, in five slices, each with its own clock
// reading.
//
// The load is enqueued round by round, 45 ms ahead of the GPU, so that a host that is delayed by
// some milliseconds causes no gap; NVML, whose readings take that long, is read by another thread
// (nvml_watch.h). The GPU's events show the elapsed time. Once that and the enqueued work are long
// enough, the slices follow without a pause. The kernel records are then checked (load_records.h):
// length of the load and of the slices, no gap above 1 ms.
#pragma once

#include "validate/measure/timing/block_rules.h"
#include "validate/measure/timing/timer_parts.h"

namespace tilecast {

/// Rules for the time slices: five, measured together. The drift tolerance is wider because the
/// clock varies more at the power cap.
constexpr BlockRules kSliceRules{
    .least = 3, .most = 5, .most_taken = 5, .quiet_spread = 0.005, .clock_drift = 0.03};

/// Throws Error(kNoDevice) if the load was interrupted or CUPTI lost records three times, and
/// Error(kWrong) if the clock drifted in most slices. Launches cycle through the buffer sets.
TimedWorkload time_under_load(TimerParts& parts, const Workload& workload, Seconds window);

}  // namespace tilecast
