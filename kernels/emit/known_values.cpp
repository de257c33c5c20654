#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "kernels/emit/simplify.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

/// Whether declaration `at` is declaration `index` or a member of it.
bool belongs_to(const Program& program, std::size_t at, std::size_t index) {
  int inside = static_cast<int>(at);
  while (inside >= 0 && inside != static_cast<int>(index)) {
    inside = program.all[static_cast<std::size_t>(inside)].parent;
  }
  return inside >= 0;
}

/// Returns the arguments of a template's use, at the position where its name ends.
std::vector<std::string> arguments_at(const std::string& code, std::size_t end) {
  if (code[end] != '<') {
    return {};
  }
  return list_items(code.substr(end + 1, after_closing(code, end, '<', '>') - end - 2));
}

std::string listed(const std::vector<std::string>& items) {
  std::string list;
  for (const std::string& item : items) {
    list += (list.empty() ? "<" : ", ") + item;
  }
  return list.empty() ? list : list + ">";
}

/// Returns the parameters of the template that begins at declaration `index`; empty if it is not
/// a template, or if its name has other declarations.
std::vector<std::string> parameters_of(const Program& program, std::size_t index) {
  const Declaration& d = program.all[index];
  const std::string_view head = d.lines.empty() ? "" : trimmed(d.lines.front());
  const auto is_template = [](const Declaration& other) {
    return other.kind == Kind::kFunction || other.kind == Kind::kClass;
  };
  const auto same = std::ranges::count_if(program.all, [&](const Declaration& other) {
    return is_template(other) && other.names.front() == d.names.front();
  });
  const bool found =
      is_template(d) && same == 1 && head.starts_with("template <") && head.ends_with('>');
  return found ? list_items(head.substr(10, head.size() - 11)) : std::vector<std::string>{};
}

std::string name_of_parameter(const std::string& parameter) {
  return std::string(word_before(parameter, std::min(parameter.find(" = "), parameter.size())));
}

/// Whether the declaration uses a macro that contains the name.
bool is_in_macro(const Program& program, std::size_t index, const std::string& name) {
  if (joined_code(program.all[index].lines).find("  TILECAST_") == std::string::npos) {
    return false;
  }
  return std::ranges::any_of(program.all, [&](const Declaration& d) {
    bool found = false;
    if (d.kind == Kind::kMacro) {
      for_each_use(joined_code(d.lines), name, [&](std::size_t, std::size_t) { found = true; });
    }
    return found;
  });
}

/// Returns the argument that every use passes for parameter `i`; empty if uses differ.
std::string bound_value(const Program& program, std::size_t index,
                        const std::vector<std::string>& parameters, std::size_t i) {
  const std::size_t equals = parameters[i].find(" = ");
  if (parameters[i].starts_with("class ") ||
      is_in_macro(program, index, name_of_parameter(parameters[i]))) {
    return "";
  }
  std::set<std::string> values;
  bool after_config = false;
  for (std::size_t at = 0; at < program.all.size(); ++at) {
    const Declaration& user = program.all[at];
    after_config = after_config || (at < index && user.names.front() == "Config");
    if (user.kind == Kind::kDropped || belongs_to(program, at, index)) {
      continue;
    }
    const std::string code = joined_code(user.lines);
    for_each_use(code, program.all[index].names.front(), [&](std::size_t, std::size_t end) {
      const std::vector<std::string> given = arguments_at(code, end);
      std::string value = i < given.size()              ? given[i]
                          : equals == std::string::npos ? ""
                                                        : parameters[i].substr(equals + 3);
      if (const std::optional<bool> flag = decided(value, program.constants);
          flag && !value.empty()) {
        value = *flag ? "true" : "false";
      }
      const bool fixed = value_of(value, {}) || (after_config && value.starts_with("Config::"));
      const bool plain =
          std::ranges::all_of(value, [](char c) { return is_word(c) || c == ':' || c == '.'; });
      values.insert(fixed && plain ? value : "");
    });
  }
  return values.size() == 1 ? *values.begin() : "";
}

/// Removes argument `i` from every use of the template.
void drop_argument(Declaration& user, const std::string& name, std::size_t i) {
  std::string text = joined_lines(user.lines);
  std::vector<std::size_t> places;
  for_each_use(text, name, [&](std::size_t, std::size_t end) {
    if (text[end] == '<') {
      places.push_back(end);
    }
  });
  for (std::size_t use = places.size(); use-- > 0;) {
    const std::size_t open = places[use];
    std::vector<std::string> given = arguments_at(text, open);
    if (i < given.size()) {
      given.erase(given.begin() + static_cast<std::ptrdiff_t>(i));
    }
    text.replace(open, after_closing(text, open, '<', '>') - open, listed(given));
    constexpr std::string_view kTemplate = "template ";
    const std::size_t begin = open - name.size();
    if (given.empty() && begin >= kTemplate.size() &&
        text.compare(begin - kTemplate.size(), kTemplate.size(), kTemplate) == 0) {
      text.erase(begin - kTemplate.size(), kTemplate.size());
    }
  }
  if (!places.empty()) {
    user.lines = lines_of(text);
  }
}

void bind_parameter(Program& program, std::size_t index, std::vector<std::string> parameters,
                    std::size_t i, const std::string& value) {
  const std::string parameter = name_of_parameter(parameters[i]);
  const std::string own = program.all[index].names.front();
  parameters.erase(parameters.begin() + static_cast<std::ptrdiff_t>(i));
  Lines& head = program.all[index].lines;
  const std::string margin(indent_of(head.front()), ' ');
  head.erase(head.begin());
  for (std::size_t at = 0; at < program.all.size(); ++at) {
    Declaration& d = program.all[at];
    if (!belongs_to(program, at, index)) {
      drop_argument(d, own, i);
      continue;
    }
    for (std::string& line : d.lines) {
      std::vector<std::size_t> places;
      for_each_use(code_of(line), parameter,
                   [&](std::size_t begin, std::size_t) { places.push_back(begin); });
      for (std::size_t use = places.size(); use-- > 0;) {
        line.replace(places[use], parameter.size(), value);
      }
    }
    d.lines =
        with_decided_choices(with_decided_branches(d.lines, program.constants), program.constants);
  }
  if (!parameters.empty()) {
    head.insert(head.begin(), margin + "template " + listed(parameters));
  }
}

}  // namespace

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

bool bind_parameters(Program& program) {
  bool changed = false;
  for (std::size_t index = 0; index < program.all.size(); ++index) {
    const std::vector<std::string> parameters = parameters_of(program, index);
    for (std::size_t i = parameters.size(); i-- > 0;) {
      const std::string value = bound_value(program, index, parameters, i);
      if (!value.empty()) {
        bind_parameter(program, index, parameters, i, value);
        changed = true;
        break;  // the others are counted again
      }
    }
  }
  return changed;
}

bool put_values(Program& program) {
  bool changed = false;
  for (Declaration& d : program.all) {
    if (d.kind != Kind::kFunction || d.lines.size() > 8) {
      continue;
    }
    const std::string code = joined_code(d.lines);
    const std::size_t at = code.find("return "), end = code.find(';', at);
    const std::size_t open = code.find('{');
    if (at == std::string::npos || open == std::string::npos ||
        code.find_first_not_of(" \n", open + 1) != at ||
        code.find_first_not_of(" \n;}", end) != std::string::npos) {
      continue;
    }
    std::string value = code.substr(at + 7, end - at - 7);
    const std::string own = d.names.front();
    if (const std::optional<bool> holds = decided(value, program.constants)) {
      value = *holds ? "true" : "false";
    }
    const bool argument = value.starts_with("args.") || value.starts_with("&args.");
    const bool literal = value == "true" || value == "false" || parse_integer(value);
    const auto same = std::ranges::count_if(program.all, [&](const Declaration& other) {
      return other.kind == Kind::kFunction && other.names.front() == own;
    });
    const bool plain =
        std::ranges::all_of(value, [](char c) { return is_word(c) || c == '.' || c == '&'; });
    if ((!argument && !literal) || !plain || same > 1) {
      continue;
    }
    d.kind = Kind::kDropped;
    changed = true;
    for (Declaration& caller : program.all) {
      if (caller.kind == Kind::kDropped || caller.kind == Kind::kClass) {
        continue;
      }
      std::string text = joined_lines(caller.lines);
      bool here = false;
      for (std::size_t call = 0; (call = text.find(own + "(", call)) != std::string::npos;) {
        std::size_t begin = call;
        if (begin > 0 && text[begin - 1] == '.') {
          --begin;
          begin -= word_before(text, begin).size();
        }
        if (begin > 0 &&
            (is_word(text[begin - 1]) || text[begin - 1] == ':' || text[begin - 1] == '.')) {
          call += own.size();
          continue;
        }
        text.replace(begin, after_closing(text, call + own.size(), '(', ')') - begin, value);
        call = begin;
        here = true;
      }
      if (here) {
        caller.lines = with_decided_choices(
            with_decided_branches(lines_of(text), program.constants), program.constants);
      }
    }
  }
  return changed;
}

}  // namespace tilecast
