#include "cli/in_order.h"

#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

namespace tilecast {

struct InOrder::State {
  std::function<void(const std::string&)> write;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::pair<std::size_t, Work>> waiting;
  std::map<std::size_t, std::string> done;  // finished and not yet written
  std::size_t given = 0, written = 0, most;
  bool ended = false;
  std::exception_ptr failure;
  std::vector<std::thread> threads;

  void run() {
    std::unique_lock lock(mutex);
    for (;;) {
      changed.wait(lock, [&] { return !waiting.empty() || ended; });
      if (waiting.empty()) {
        return;
      }
      auto [place, work] = std::move(waiting.front());
      waiting.pop_front();
      lock.unlock();
      std::string answer;
      std::exception_ptr thrown;
      try {
        answer = work();
      } catch (...) {
        thrown = std::current_exception();
      }
      lock.lock();
      if (thrown && !failure) {
        failure = thrown;
      }
      done.emplace(place, std::move(answer));
      write_ready();
      if (failure) {
        waiting.clear();
      }
      changed.notify_all();
    }
  }

  /// Writes all results that are ready. Called by the thread that has the next result.
  void write_ready() {
    for (; !done.empty() && done.begin()->first == written; ++written) {
      if (!failure) {
        try {
          write(done.begin()->second);
        } catch (...) {
          failure = std::current_exception();
        }
      }
      done.erase(done.begin());
    }
  }

  void end() {
    {
      const std::lock_guard lock(mutex);
      ended = true;
    }
    changed.notify_all();
    for (std::thread& thread : threads) {
      thread.join();
    }
    threads.clear();
  }
};

InOrder::InOrder(unsigned threads, std::function<void(const std::string&)> write)
    : state_(std::make_unique<State>()) {
  constexpr std::size_t kOfEach = 8;
  state_->write = std::move(write);
  state_->most = kOfEach * threads;
  for (unsigned i = 0; i < threads; ++i) {
    state_->threads.emplace_back([this] { state_->run(); });
  }
}

InOrder::~InOrder() { state_->end(); }

void InOrder::give(Work work) {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(
      lock, [&] { return state_->given - state_->written < state_->most || state_->failure; });
  if (state_->failure) {
    std::rethrow_exception(state_->failure);
  }
  state_->waiting.emplace_back(state_->given++, std::move(work));
  state_->changed.notify_all();
}

void InOrder::finish() {
  state_->end();
  if (state_->failure) {
    std::rethrow_exception(state_->failure);
  }
}

}  // namespace tilecast
