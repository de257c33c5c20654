// For work of unknown length: a line on the terminal that says what goes on and for how long, once
// it has taken a second. Nothing where standard error is no terminal. Checked by: waiting_test.cpp.
#pragma once

#include <chrono>
#include <cstdio>
#include <string>
#include <thread>

namespace tilecast {

class Waiting {
 public:
  /// Until it goes out of scope, when the line is erased.
  explicit Waiting(std::string what);
  /// On any stream, after `patience`, then at every `patience`.
  Waiting(std::string what, std::FILE* stream, std::chrono::milliseconds patience);

 private:
  std::jthread thread_;  // none where nothing is shown
};

}  // namespace tilecast
