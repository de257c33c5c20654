// Shows that work continues, and for how long: on a terminal in one line that is rewritten each
// second, otherwise in a new line every ten seconds. Checked by: waiting_test.cpp.
#pragma once

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>

namespace tilecast {

class Waiting {
 public:
  enum class On { kTerminal, kFile };

  /// Writes to standard error until it is destroyed, which erases a terminal's line.
  explicit Waiting(const std::string& what);
  /// Writes only if standard error is not a terminal, for work that shows its own progress on a
  /// terminal.
  static Waiting off_terminal(const std::string& what);
  /// Calls `text` for each line.
  static Waiting off_terminal(std::function<std::string()> text);
  /// Writes to any stream, once every `patience`.
  Waiting(const std::string& what, std::FILE* stream, On on, std::chrono::milliseconds patience);

  /// Forgets the waits of the command before.
  static void begin_command();

 private:
  Waiting() = default;
  Waiting(std::function<std::string()> text, std::FILE* stream, On on,
          std::chrono::milliseconds patience);

  std::jthread thread_;  // not running if nothing is shown
};

}  // namespace tilecast
