// Independent pieces of work on several threads.
// Checked by: parallel_test.cpp.
#pragma once

#include <cstddef>
#include <functional>

namespace tilecast {

/// Threads that the machine runs at once; at least one.
unsigned processor_count();

/// Calls `work` once for each index below `count`, on at most `threads` threads (0, or more than
/// the machine has processors: one for each), the caller's among them, and on fewer where memory or
/// the system's limits do not allow as many: a call that finds no memory is made again, alone.
/// Indices are handed out in order. Where calls throw, no more are handed out, and what the lowest
/// of those indices threw is thrown, on any number of threads.
void parallel_for(std::size_t count, unsigned threads,
                  const std::function<void(std::size_t)>& work);

}  // namespace tilecast
