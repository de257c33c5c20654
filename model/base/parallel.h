// Runs independent work items on several threads.
// Checked by: parallel_test.cpp.
#pragma once

#include <cstddef>
#include <functional>

namespace tilecast {

/// Hardware threads, at least one.
unsigned processor_count();

/// Calls `work` for each index below `count`, in order, on at most `threads` threads including the
/// caller's. `threads` of 0, or more than the machine has, means one per processor. Fewer threads
/// are used if the system refuses to start them; a call that runs out of memory is repeated after
/// the others have ended. If calls throw, no further indices start, and the exception of the lowest
/// failed index is rethrown, on any number of threads.
void parallel_for(std::size_t count, unsigned threads,
                  const std::function<void(std::size_t)>& work);

}  // namespace tilecast
