#include "reports/template.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "model/base/refuse.h"

namespace tilecast {
namespace {

using Json = nlohmann::ordered_json;

class Filler {
 public:
  Filler(Escape escape, const TemplateParts& parts) : escape_(escape), parts_(parts) {}

  std::string fill(std::string_view text, std::vector<const Json*>& scopes) const {
    std::string filled;
    while (true) {
      const std::size_t open = text.find("{{");
      filled += text.substr(0, open);
      if (open == std::string_view::npos) {
        return filled;
      }
      const std::size_t close = text.find("}}", open);
      refuse_if(close == std::string_view::npos, "template: {{{{ without }}}}");
      const std::string_view tag = text.substr(open + 2, close - open - 2);
      text.remove_prefix(close + 2);
      if (tag.starts_with('#')) {
        const std::string end = fmt::format("{{{{/{}}}}}", tag.substr(1));
        const std::size_t at = text.find(end);
        refuse_if(at == std::string_view::npos, "template: expected {}", end);
        filled += section(text.substr(0, at), find(tag.substr(1), scopes), scopes);
        text.remove_prefix(at + end.size());
      } else if (tag.starts_with('&')) {
        const auto part = parts_.find(tag.substr(1));
        refuse_if(part == parts_.end(), "template: no part {}", tag.substr(1));
        filled += part->second;
      } else {
        const Json* value = find(tag, scopes);
        refuse_if(value == nullptr || value->is_structured(), "template: no text {}", tag);
        filled += escape_(value->is_string() ? value->get<std::string>() : value->dump());
      }
    }
  }

 private:
  static const Json* find(std::string_view key, const std::vector<const Json*>& scopes) {
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
      if ((*scope)->is_object() && (*scope)->contains(key)) {
        return &(**scope)[std::string(key)];
      }
    }
    return nullptr;
  }

  std::string section(std::string_view text, const Json* value,
                      std::vector<const Json*>& scopes) const {
    std::string filled;
    const auto once = [&](const Json& item) {
      scopes.push_back(&item);
      filled += fill(text, scopes);
      scopes.pop_back();
    };
    if (value != nullptr && value->is_array()) {
      for (const Json& item : *value) {
        once(item);
      }
    } else if (value != nullptr && !value->empty()) {
      once(*value);
    }
    return filled;
  }

  Escape escape_;
  const TemplateParts& parts_;
};

}  // namespace

std::string fill_template(std::string_view text, const Json& values, Escape escape,
                          const TemplateParts& parts) {
  std::vector<const Json*> scopes{&values};
  return Filler(escape, parts).fill(text, scopes);
}

}  // namespace tilecast
