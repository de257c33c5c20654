// Escapes text for an HTML page. All text in a page goes through these functions.
// Checked by: html_text_test.cpp, tests/fuzz.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace tilecast {

/// Escapes element text and quoted attribute values.
std::string html_escaped(std::string_view text);

/// Escapes the content of a <script type="application/json">: every < becomes \u003c, so neither
/// </script nor <!-- can occur. Invalid UTF-8 becomes U+FFFD.
std::string json_in_html(const nlohmann::ordered_json& json);

/// Checks the content of a <script>. Throws ConfigError if `code` could end the element or open a
/// comment, since code cannot be escaped without parsing it.
std::string script_in_html(std::string_view code, std::string_view name);

}  // namespace tilecast
