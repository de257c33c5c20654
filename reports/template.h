// Fills text templates from JSON, so that no markup stands in code.
//
//   {{key}}               the value, escaped; a missing key is an error
//   {{#key}}...{{/key}}   once for an object or a text, once for each item of an array, else
//   nothing
//   {{&key}}              a part that is inserted as it is: style, scripts, JSON for a script
// A key is looked up in the innermost item first. Checked by: template_test.cpp.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace tilecast {

using Escape = std::string (*)(std::string_view);
using TemplateParts = std::map<std::string, std::string, std::less<>>;

/// Throws ConfigError for a missing key or part and for a section that does not end.
std::string fill_template(std::string_view text, const nlohmann::ordered_json& values,
                          Escape escape, const TemplateParts& parts = {});

}  // namespace tilecast
