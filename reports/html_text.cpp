#include "reports/html_text.h"

#include <nlohmann/json.hpp>

#include "model/base/refuse.h"
#include "model/base/text.h"

namespace tilecast {

std::string html_escaped(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string json_in_html(const nlohmann::ordered_json& json) {
  // In JSON < occurs only inside strings.
  std::string escaped;
  for (const char c : json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace)) {
    escaped += c == '<' ? "\\u003c" : std::string(1, c);
  }
  return escaped;
}

std::string script_in_html(std::string_view code, std::string_view name) {
  const std::string lower = lower_case(code);
  for (const std::string_view text : {"</script", "<!--"}) {
    refuse_if(lower.find(text) != std::string::npos, "{}: a page's script cannot hold {}", name,
              text);
  }
  return std::string(code);
}

}  // namespace tilecast
