// A time as --budget and its like take it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace tilecast {

/// "90", "90s", "10m" or "1h". Throws ConfigError that names the option.
std::chrono::seconds parse_budget(const std::string& text, std::string_view option = "--budget");

}  // namespace tilecast
