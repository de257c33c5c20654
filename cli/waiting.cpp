#include "cli/waiting.h"

#include <fmt/format.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

namespace tilecast {
namespace {

constexpr std::chrono::milliseconds kPatience{1000};

void show(const std::stop_token& stop, const std::string& what, std::FILE* stream,
          std::chrono::milliseconds patience) {
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any stopped;
  const auto start = std::chrono::steady_clock::now();
  bool shown = false;
  while (!stopped.wait_for(lock, stop, patience, [&] { return stop.stop_requested(); })) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    const std::string line = fmt::format("\r\033[K{}: {:.0f} s", what, passed.count());
    std::fputs(line.c_str(), stream);
    std::fflush(stream);
    shown = true;
  }
  if (shown) {
    std::fputs("\r\033[K", stream);
    std::fflush(stream);
  }
}

}  // namespace

Waiting::Waiting(std::string what) {
  if (::isatty(STDERR_FILENO) == 1) {
    *this = Waiting(std::move(what), stderr, kPatience);
  }
}

Waiting::Waiting(std::string what, std::FILE* stream, std::chrono::milliseconds patience)
    : thread_([what = std::move(what), stream, patience](const std::stop_token& stop) {
        show(stop, what, stream, patience);
      }) {}

}  // namespace tilecast
