// Shows that work of unknown length goes on, and for how long: on a terminal one line that is
// rewritten each second, elsewhere a new line every ten seconds. Checked by: waiting_test.cpp.
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
  explicit Waiting(std::string what);
  /// For work that shows its own progress on a terminal: writes only elsewhere.
  static Waiting off_terminal(std::string what);
  /// Writes to any stream, once every `patience`.
  Waiting(const std::string& what, std::FILE* stream, On on, std::chrono::milliseconds patience);

 private:
  Waiting() = default;

  std::jthread thread_;  // none if nothing is shown
};

}  // namespace tilecast
