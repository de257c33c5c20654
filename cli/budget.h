// A duration, as --budget and similar options accept it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace tilecast {

/// Parses "90", "90s", "10m" or "1h". Throws a ConfigError that names the option.
std::chrono::seconds parse_budget(const std::string& text, std::string_view option = "--budget");

}  // namespace tilecast
