#include "model/op/config_key.h"

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/base/shown_text.h"

namespace tilecast {

void bad_config(std::string_view text, std::string_view why) {
  throw ConfigError(on_one_line(fmt::format("configuration '{}': {}", text, why)));
}

std::string_view name_in(std::string_view canonical) {
  const std::size_t colon = canonical.find(':');
  if (colon == canonical.npos) {
    bad_config(canonical, "expected schedule:key=value,...");
  }
  return canonical.substr(0, colon);
}

}  // namespace tilecast
