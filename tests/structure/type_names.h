// One type of a name: two types of one name in two headers are two definitions of one thing to the
// linker, which keeps either's functions for both without a word.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace tilecast {

/// The types that a header defines at namespace level, each with `path:line`.
std::map<std::string, std::string> types_defined(std::string_view path, std::string_view content);

}  // namespace tilecast
