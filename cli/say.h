// Notes on standard error while a command works.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

#include "model/base/shown_text.h"

namespace tilecast {

/// Prints one line, escaped and shortened like every message; lost if standard error is closed.
template <class... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
  const std::string line =
      message_line(fmt::format(format, std::forward<Values>(values)...)) + "\n";
  std::fputs(line.c_str(), stderr);
}

}  // namespace tilecast
