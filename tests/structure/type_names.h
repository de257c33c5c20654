// Checks that type names are unique: two types of one name in two headers violate the
// one-definition rule, and the linker silently keeps one's functions for both.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tilecast {

/// The types that a header defines at namespace level, each with `path:line`.
std::map<std::string, std::string> types_defined(std::string_view path, std::string_view content);

}  // namespace tilecast
