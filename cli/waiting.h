// Shows that work of unknown length continues, and for how long: on a terminal in one line that is
// rewritten each second, otherwise in a new line every ten seconds. Checked by: waiting_test.cpp.
#pragma once

#include <chrono>
#include <cstdio>
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
  /// Writes to any stream, once every `patience`.
  Waiting(const std::string& what, std::FILE* stream, On on, std::chrono::milliseconds patience);

 private:
  Waiting() = default;

  std::jthread thread_;  // not running if nothing is shown
};

}  // namespace tilecast
