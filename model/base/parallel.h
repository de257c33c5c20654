// Independent pieces of work on several threads.
// Checked by: parallel_test.cpp.
#pragma once

#include <cstddef>
#include <functional>

namespace tilecast {

/// Threads that the machine runs at once; at least one.
unsigned processor_count();

/// Calls `work` once for each index below `count`, on at most `threads` threads (0: one for each
/// processor), the caller's among them. Indices are handed out in order. Where calls throw, no more
/// are handed out, and what the lowest of those indices threw is thrown, on any number of threads.
void parallel_for(std::size_t count, unsigned threads,
                  const std::function<void(std::size_t)>& work);

}  // namespace tilecast
