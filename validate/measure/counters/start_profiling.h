// CUPTI's profiling interface, which its calls on counters want started and most do not check for.
#pragma once

namespace tilecast {

/// Starts it, the first time it is called in a process; it stays so until the process ends. Throws
/// CountersUnavailable.
void start_profiling();

}  // namespace tilecast
