// Runs independent work items on several threads, until another thread asks them to stop.
// Checked by: parallel_test.cpp.
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>

namespace tilecast {

/// Hardware threads, at least one.
unsigned processor_count();

/// Calls `work` for each index below `count`, in order, on at most `threads` threads including the
/// caller's. `threads` of 0, or more than the machine has, means one per processor. Fewer threads
/// are used if the system cannot start them; a call that runs out of memory is repeated after the
/// others have ended. If calls throw, no further indices start, and the exception of the lowest
/// failed index is rethrown, on any number of threads. A request to stop the calling thread's work
/// (StopScope) counts as a failure of the next index.
void parallel_for(std::size_t count, unsigned threads,
                  const std::function<void(std::size_t)>& work);

/// Thrown by work that is stopped (StopScope).
struct Stopped {};

/// While it exists, `token` can stop the work of the calling thread and of its parallel_for.
class StopScope {
 public:
  explicit StopScope(std::stop_token token);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  std::stop_token outer_;
};

/// Throws Stopped if the calling thread's work is to stop. Call it in long work within one
/// index.
void throw_if_stopped();

}  // namespace tilecast
