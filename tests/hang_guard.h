// Guard for device tests: a hanging kernel can only be stopped by ending the program.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace tilecast {

/// Ends the program with exit code 1 and `what` if any launch of a test takes longer than this
/// object exists.
class HangGuard {
 public:
  explicit HangGuard(std::string what) : what_(std::move(what)), watcher_([this] { watch(); }) {}
  ~HangGuard() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_one();
    watcher_.join();
  }
  HangGuard(const HangGuard&) = delete;
  HangGuard& operator=(const HangGuard&) = delete;

 private:
  void watch() {
    constexpr std::chrono::seconds kLongest{20};
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, kLongest, [this] { return done_; })) {
      std::printf("hangs: %s\n", what_.c_str());
      std::fflush(stdout);
      std::_Exit(1);
    }
  }

  std::string what_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread watcher_;
};

}  // namespace tilecast
