// A status line on standard error that is rewritten during work; silent if standard error is not a
// terminal.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

namespace tilecast {

class StatusLine {
 public:
  explicit StatusLine(std::FILE* stream = stderr, bool terminal = ::isatty(STDERR_FILENO) == 1)
      : stream_(stream), terminal_(terminal) {}

  bool on_terminal() const { return terminal_; }

  void show(const std::string& text) {
    constexpr std::size_t kWidest = 150;
    if (terminal_) {
      std::fputs(("\r\033[K" + text.substr(0, kWidest)).c_str(), stream_);
      std::fflush(stream_);
      open_ = !text.empty();
    }
  }
  void erase() {
    if (open_) {
      show("");
    }
  }
  /// Ends the line, leaving it on the terminal.
  void keep() {
    if (open_) {
      std::fputs("\n", stream_);
      open_ = false;
    }
  }

 private:
  std::FILE* stream_;
  bool terminal_, open_ = false;
};

}  // namespace tilecast
