#include "model/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace tilecast {

namespace {
thread_local std::stop_token t_stop;
}  // namespace

StopScope::StopScope(std::stop_token token) : outer_(std::exchange(t_stop, std::move(token))) {}

StopScope::~StopScope() { t_stop = std::move(outer_); }

void throw_if_stopped() {
  if (t_stop.stop_requested()) {
    throw Stopped();
  }
}

unsigned processor_count() { return std::max(1u, std::thread::hardware_concurrency()); }

void parallel_for(std::size_t count, unsigned threads,
                  const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  std::mutex noting;  // guards the variables below
  std::size_t failed = count;
  std::exception_ptr failure;
  std::vector<std::size_t> starved;  // indices to repeat one at a time, after std::bad_alloc
  const auto note_failure = [&](std::size_t i) {
    const std::lock_guard lock(noting);
    if (i < failed) {
      failed = i;
      failure = std::current_exception();
    }
    next = count;
  };
  const auto run = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        throw_if_stopped();
        work(i);
      } catch (const std::bad_alloc&) {
        const std::lock_guard lock(noting);
        starved.push_back(i);
        return;  // give up this thread
      } catch (...) {
        note_failure(i);
      }
    }
  };
  {
    const unsigned processors = processor_count();
    const std::size_t most =
        std::min<std::size_t>(count, threads == 0 ? processors : std::min(threads, processors));
    std::vector<std::jthread> others;
    try {
      while (others.size() + 1 < most) {
        others.emplace_back([&run, stop = t_stop] {
          const StopScope scope(stop);
          run();
        });
      }
    } catch (const std::system_error&) {  // the system's thread limit is reached
    } catch (const std::bad_alloc&) {
    }
    run();
  }
  const auto run_alone = [&](std::size_t i) {
    try {
      throw_if_stopped();
      work(i);
    } catch (...) {
      note_failure(i);
    }
  };
  for (const std::size_t i : starved) {
    if (i < failed) {
      run_alone(i);
    }
  }
  for (std::size_t i = next++; i < count; i = next++) {
    run_alone(i);
  }
  if (failure) {
    std::rethrow_exception(failure);
  }
}

}  // namespace tilecast
