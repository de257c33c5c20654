// Text inside an HTML page: the only ways by which it gets there.
// Checked by: html_text_test.cpp, tests/fuzz.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace tilecast {

/// As the text of an element or the value of an attribute in either quotes.
std::string html_escaped(std::string_view text);

/// As the content of a <script type="application/json">: every < is written \u003c, so that neither
/// </script nor <!-- is there in any case; bytes that are not UTF-8 become U+FFFD.
std::string json_in_html(const nlohmann::ordered_json& json);

/// `code` as the content of a <script>. Throws ConfigError where it could end the element or open a
/// comment, since code cannot be escaped without knowing its strings.
std::string script_in_html(std::string_view code, std::string_view name);

}  // namespace tilecast
