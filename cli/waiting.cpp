#include "cli/waiting.h"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

#include "cli/output_parts.h"
#include "model/base/shown_text.h"
#include "validate/run/status_line.h"

namespace tilecast {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

void show(const std::stop_token& stop, const std::string& what, std::FILE* stream, Waiting::On on,
          milliseconds patience) {
  StatusLine line(stream, on == Waiting::On::kTerminal);
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any stopped;
  const auto start = std::chrono::steady_clock::now();
  while (!stopped.wait_for(lock, stop, patience, [&] { return stop.stop_requested(); })) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    const std::string text = fmt::format("{}: {:.0f} s", what, passed.count());
    line.show(text);
    if (!line.on_terminal()) {
      std::fputs(("tilecast: " + text + "\n").c_str(), stream);
      std::fflush(stream);
    }
  }
  line.erase();
}

}  // namespace

Waiting::Waiting(std::string what) {
  *this = StatusLine().on_terminal() ? Waiting(std::move(what), stderr, On::kTerminal, seconds(1))
                                     : off_terminal(std::move(what));
}

Waiting Waiting::off_terminal(std::string what) {
  return StatusLine().on_terminal() ? Waiting()
                                    : Waiting(std::move(what), stderr, On::kFile, seconds(10));
}

Waiting::Waiting(const std::string& what, std::FILE* stream, On on, milliseconds patience)
    : thread_([what = message_line(without_groups(what)), stream, on,
               patience](const std::stop_token& stop) { show(stop, what, stream, on, patience); }) {
}

}  // namespace tilecast
