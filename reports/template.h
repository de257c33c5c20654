// Fills text templates from JSON, so that code contains no markup.
//
//   {{key}}               the value, escaped; a missing key is an error
//   {{#key}}...{{/key}}   once for an object or a text, once per item of an array, else nothing
//   {{&key}}              a part inserted unescaped: style, scripts, JSON for a script
// Keys are looked up in the innermost item first. Checked by: template_test.cpp.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace tilecast {

using Escape = std::string (*)(std::string_view);
using TemplateParts = std::map<std::string, std::string, std::less<>>;

/// Throws ConfigError for a missing key or part and for an unterminated section.
std::string fill_template(std::string_view text, const nlohmann::ordered_json& values,
                          Escape escape, const TemplateParts& parts = {});

}  // namespace tilecast
