// Refuses a user's input in one statement.
#pragma once

#include <fmt/core.h>

#include <utility>

#include "model/base/error.h"

namespace tilecast {

/// Throws the formatted message if `wrong`. The arguments are evaluated in any case, and in any
/// order: where they depend on `wrong` or are slow to compute, write `if` and `throw`.
template <class Failure = ConfigError, class... Args>
void refuse_if(bool wrong, fmt::format_string<Args...> message, Args&&... args) {
  if (wrong) {
    throw Failure(fmt::format(message, std::forward<Args>(args)...));
  }
}

}  // namespace tilecast
