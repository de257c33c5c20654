// For work of unknown length: says what goes on and for how long. On a terminal one line that is
// written again each second, elsewhere a new line every ten seconds. Checked by: waiting_test.cpp.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

namespace tilecast {

class Waiting {
 public:
  enum class On { kTerminal, kFile };

  /// On standard error until it goes out of scope, when the line of a terminal is erased.
  explicit Waiting(std::string what);
  /// The same, of work that shows on a terminal how far it is: only elsewhere.
  static Waiting off_terminal(std::string what);
  /// On any stream, after `patience`, then at every `patience`.
  Waiting(std::string what, std::FILE* stream, On on, std::chrono::milliseconds patience);

 private:
  Waiting() = default;

  std::jthread thread_;  // none where nothing is shown
};

}  // namespace tilecast
