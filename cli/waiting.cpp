#include "cli/waiting.h"

#include <fmt/format.h>

#include <atomic>
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
using Clock = std::chrono::steady_clock;

/// Time without a line at the end of the command's last wait, so that several short waits are shown
/// like a long one.
std::atomic<Clock::rep> quiet{0};

void show(const std::stop_token& stop, const std::function<std::string()>& what, std::FILE* stream,
          Waiting::On on, milliseconds patience) {
  StatusLine line(stream, on == Waiting::On::kTerminal);
  std::mutex mutex;
  std::unique_lock lock(mutex);
  std::condition_variable_any stopped;
  const Clock::time_point start = Clock::now();
  Clock::time_point last = start - Clock::duration(quiet.exchange(0));
  while (!stopped.wait_until(lock, stop, last + patience, [&] { return stop.stop_requested(); })) {
    last = Clock::now();
    const std::chrono::duration<double> passed = last - start;
    const std::string text = fmt::format("{}: {:.0f} s", what(), passed.count());
    line.show(text);
    if (!line.on_terminal()) {
      std::fputs(("tilecast: " + text + "\n").c_str(), stream);
      std::fflush(stream);
    }
  }
  quiet = (Clock::now() - last).count();
  line.erase();
}

}  // namespace

Waiting::Waiting(const std::string& what) {
  *this = StatusLine().on_terminal() ? Waiting(what, stderr, On::kTerminal, seconds(1))
                                     : off_terminal(what);
}

Waiting Waiting::off_terminal(const std::string& what) {
  return off_terminal([what] { return what; });
}

Waiting Waiting::off_terminal(std::function<std::string()> what) {
  return StatusLine().on_terminal() ? Waiting()
                                    : Waiting(std::move(what), stderr, On::kFile, seconds(10));
}

Waiting::Waiting(const std::string& what, std::FILE* stream, On on, milliseconds patience)
    : Waiting([what = message_line(without_groups(what))] { return what; }, stream, on, patience) {}

Waiting::Waiting(std::function<std::string()> what, std::FILE* stream, On on, milliseconds patience)
    : thread_([what = std::move(what), stream, on, patience](const std::stop_token& stop) {
        show(stop, what, stream, on, patience);
      }) {}

void Waiting::begin_command() { quiet = 0; }

}  // namespace tilecast
