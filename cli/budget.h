// A time as --budget takes it.
#pragma once

#include <chrono>
#include <string>

namespace tilecast {

/// "90", "90s", "10m" or "1h". Throws ConfigError.
std::chrono::seconds parse_budget(const std::string& text);

}  // namespace tilecast
