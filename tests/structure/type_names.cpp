#include "tests/structure/type_names.h"

#include <fmt/format.h>

#include <regex>

#include "model/base/text.h"

namespace tilecast {

// Relies on clang-format: declarations at namespace level start at the beginning of a line.
std::map<std::string, std::string> types_defined(std::string_view path, std::string_view content) {
  static const std::regex kDefinition(
      "^(?:struct|class|union|enum class|enum) (?:alignas\\([^)]*\\) )?([A-Z]\\w*)"
      "(?: final)?(?: : [^;]*)?(?: \\{.*)?$");
  std::map<std::string, std::string> types;
  int number = 0;
  for (const std::string_view line : split(content, '\n')) {
    ++number;
    std::match_results<std::string_view::const_iterator> match;
    if (std::regex_match(line.begin(), line.end(), match, kDefinition)) {
      types.emplace(match[1].str(), fmt::format("{}:{}", path, number));
    }
  }
  return types;
}

}  // namespace tilecast
