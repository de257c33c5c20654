#include "cli/waiting.h"

#include <fmt/format.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

#include "model/base/shown_text.h"

namespace tilecast {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

void show(const std::stop_token& stop, const std::string& what, std::FILE* stream, Waiting::On on,
          milliseconds patience) {
  const bool terminal = on == Waiting::On::kTerminal;
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any stopped;
  const auto start = std::chrono::steady_clock::now();
  bool shown = false;
  while (!stopped.wait_for(lock, stop, patience, [&] { return stop.stop_requested(); })) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    const std::string line =
        fmt::format("{}{}: {:.0f} s{}", terminal ? "\r\033[K" : "tilecast: ", what, passed.count(),
                    terminal ? "" : "\n");
    std::fputs(line.c_str(), stream);
    std::fflush(stream);
    shown = true;
  }
  if (shown && terminal) {
    std::fputs("\r\033[K", stream);
    std::fflush(stream);
  }
}

}  // namespace

Waiting::Waiting(std::string what) {
  *this = ::isatty(STDERR_FILENO) == 1 ? Waiting(std::move(what), stderr, On::kTerminal, seconds(1))
                                       : off_terminal(std::move(what));
}

Waiting Waiting::off_terminal(std::string what) {
  return ::isatty(STDERR_FILENO) == 1 ? Waiting()
                                      : Waiting(std::move(what), stderr, On::kFile, seconds(10));
}

Waiting::Waiting(std::string what, std::FILE* stream, On on, milliseconds patience)
    : thread_([what = on_one_line(what), stream, on, patience](const std::stop_token& stop) {
        show(stop, what, stream, on, patience);
      }) {}

}  // namespace tilecast
