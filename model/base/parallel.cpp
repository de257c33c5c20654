#include "model/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace tilecast {

unsigned processor_count() { return std::max(1u, std::thread::hardware_concurrency()); }

void parallel_for(std::size_t count, unsigned threads,
                  const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex failing;
  std::size_t failed = count;
  std::exception_ptr failure;
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(failing);
        if (i < failed) {
          failed = i;
          failure = std::current_exception();
        }
        next = count;
      }
    }
  };
  {
    const std::size_t most =
        std::min<std::size_t>(count, threads == 0 ? processor_count() : threads);
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < most; ++i) {
      others.emplace_back(run);
    }
    run();
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace tilecast
