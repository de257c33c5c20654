#include "cli/budget.h"

#include <optional>
#include <string_view>
#include <utility>

#include "model/base/refuse.h"
#include "model/base/text.h"

namespace tilecast {

std::chrono::seconds parse_budget(const std::string& text, std::string_view option) {
  constexpr i64 kLongest = 100'000;
  std::string_view number = text;
  i64 unit = 1;
  for (const auto& [letter, seconds] : {std::pair{'s', 1}, {'m', 60}, {'h', 3600}}) {
    if (!number.empty() && number.back() == letter) {
      unit = seconds;
      number.remove_suffix(1);
      break;
    }
  }
  const std::optional<i64> count = parse_integer(number);
  refuse_if(!count || *count < 1 || *count > kLongest,
            "{} '{}': expected a time such as 90s, 10m or 1h", option, text);
  return std::chrono::seconds(*count * unit);
}

}  // namespace tilecast
