#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernels/emit/simplify.h"
#include "model/base/text.h"

namespace tilecast {

void learn_constants(const Lines& lines, Constants& constants) {
  std::string prefix, in;
  for (const std::string& line : lines) {
    const std::string code = code_of(line);
    if (code.starts_with("struct ")) {
      prefix = code.starts_with("struct Config ") ? "Config::" : "?";
    } else if (code.starts_with("}")) {
      prefix.clear();
    }
    const std::string_view text = trimmed(code);
    const std::size_t equals = text.find(" = ");
    if (prefix == "Config::" && equals != std::string_view::npos &&
        text.substr(equals).starts_with(" = {.")) {
      in = fmt::format("Config::{}.", word_before(text, equals));
    }
    if (!in.empty()) {  // skips members of a constant: .stages = 4, .block_k = 64};
      for (std::string item : list_items(text.substr(std::min(text.find('.'), text.size())))) {
        std::erase_if(item, [](char c) { return c == '}' || c == ';'; });
        if (const std::size_t is = item.find(" = "); item.starts_with('.') && is < item.size()) {
          constants[in + item.substr(1, is - 1)] = item.substr(is + 3);
        }
      }
      in = text.ends_with("};") ? "" : in;
    }
    if (prefix == "?" || prefix.empty() == line.starts_with(' ') ||
        equals == std::string_view::npos || !text.ends_with(';') ||
        !(text.starts_with("constexpr ") || text.starts_with("static constexpr ") ||
          text.starts_with("using "))) {
      continue;
    }
    const std::string value(text.substr(equals + 3, text.size() - equals - 4));
    const std::string_view name = word_before(text, equals);
    if (!name.empty() &&
        std::ranges::all_of(value, [](char c) { return is_word(c) || c == ':'; })) {
      constants[prefix + std::string(name)] = value;
    }
  }
}

void choose_specializations(Program& program) {
  const std::string start = "template <class Config, ", is = " = typename Config",
                    is_value = " = Config";
  std::map<std::string, std::string> chosen;  // class: the specialization's arguments, or none
  for (Declaration& d : program.all) {
    if (d.kind != Kind::kClass || d.lines.empty() || !d.lines.front().starts_with(start)) {
      continue;
    }
    const std::string& head = d.lines.front();
    const std::size_t at = head.find(" = ");
    if (at == std::string::npos || (head.find(is) != at && head.find(is_value) != at)) {
      continue;
    }
    const std::size_t from = head.find("Config", at);
    const std::string value = program.constants[head.substr(from, head.rfind('>') - from)];
    const std::string special = d.names.front() + "<Config, " + value + ">";
    const bool exists = std::ranges::any_of(program.all, [&](const Declaration& other) {
      return other.kind == Kind::kClass &&
             other.lines.back().find(" " + special + " ") != std::string::npos;
    });
    chosen[d.names.front()] = exists ? special : "";
    if (!exists) {
      d.lines.erase(d.lines.begin());
    }
  }
  for (Declaration& d : program.all) {
    const auto found = d.kind == Kind::kClass ? chosen.find(d.names.front()) : chosen.end();
    if (found == chosen.end()) {
      continue;
    }
    std::string& head = d.lines.back();
    const std::size_t open = head.find(d.names.front() + "<");
    const bool special = open != std::string::npos;
    if (special && !found->second.empty() && head.find(found->second) == open) {
      head.erase(open + d.names.front().size(), found->second.size() - d.names.front().size());
    } else if (special || !found->second.empty()) {
      d.kind = Kind::kDropped;
    }
  }
  for (Declaration& d : program.all) {
    if (d.parent >= 0 && program.parent_of(d).kind == Kind::kDropped) {
      d.kind = Kind::kDropped;
    }
  }
}

}  // namespace tilecast
