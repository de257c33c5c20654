#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "kernels/emit/simplify.h"

namespace tilecast {
namespace {

/// Returns the first line of a function's body, or the line after its last one.
std::size_t body_of(const Declaration& d) {
  std::size_t at = 0;
  while (at < d.lines.size() && !code_of(d.lines[at++]).ends_with('{')) {
  }
  return at;
}

/// Drops the statements of a body for whose first line `wanted` is true.
bool drop_statements(Declaration& d, const auto& wanted) {
  bool changed = false;
  for (std::size_t i = body_of(d); i < d.lines.size();) {
    const std::string before = i > 0 ? code_of(d.lines[i - 1]) : "";
    const bool begins = before.empty() || before.starts_with('#') ||
                        std::string_view(";{}").find(before.back()) != std::string_view::npos;
    if (begins && wanted(trimmed(d.lines[i]))) {
      const auto begin = d.lines.begin();
      d.lines.erase(begin + static_cast<std::ptrdiff_t>(i),
                    begin + static_cast<std::ptrdiff_t>(end_of_statement(d.lines, i)));
      changed = true;
    } else {
      ++i;
    }
  }
  return changed;
}

bool is_empty_function(const Declaration& d) {
  std::string code = joined_code(d.lines);
  std::erase_if(code, [](char c) { return c == ' ' || c == '\n'; });
  return d.kind == Kind::kFunction && code.ends_with("{}") &&
         code.find("void" + d.names.front() + "(") != std::string::npos;
}

bool starts_with_one_of(std::string_view text, const std::map<std::string, bool>& names) {
  std::size_t end = 0;
  while (end < text.size() && is_word(text[end])) {
    ++end;
  }
  return end > 0 && end < text.size() &&
         std::string_view("<:(;{ ").find(text[end]) != std::string_view::npos &&
         names.contains(std::string(text.substr(0, end)));
}

/// Returns the code of lines, each as long as the line.
std::string padded_code(const Lines& lines) {
  std::string code;
  for (const std::string& line : lines) {
    const std::size_t begin = code.size();
    code += (begin > 0 ? "\n" : "") + code_of(line);
    code.resize(begin + (begin > 0 ? 1 : 0) + line.size(), ' ');
  }
  return code;
}

int uses_of(std::string_view code, std::string_view name) {
  int count = 0;
  for_each_use(code, name, [&](std::size_t, std::size_t) { ++count; });
  return count;
}

/// Whether a function's parameter names a parameter of its template besides Config.
bool names_parameter_of(std::string_view start, std::string_view parameter) {
  const std::size_t open = start.find('<');
  const auto items =
      list_items(start.substr(open + 1, after_closing(start, open, '<', '>') - open - 2));
  return std::ranges::any_of(items, [&](const std::string& item) {
    const std::string_view name = word_before(item, std::min(item.find(" = "), item.size()));
    return name != "Config" && uses_of(parameter, name) > 0;
  });
}

/// Places of the items between round brackets.
struct List {
  std::vector<std::pair<std::size_t, std::size_t>> items;

  std::string_view text(std::string_view code, std::size_t i) const {
    return code.substr(items[i].first, items[i].second - items[i].first);
  }
};
List list_after(std::string_view code, std::size_t open) {
  List list;
  std::size_t begin = open + 1;
  int depth = 0;
  for (std::size_t at = open; at < code.size(); ++at) {
    depth += depth_of(code.substr(at, 1));
    if ((depth == 1 && code[at] == ',') || depth == 0) {
      begin = std::min(code.find_first_not_of(" \n", begin), at);
      if (begin < at) {
        list.items.emplace_back(begin, at);
      }
      begin = at + 1;
    }
    if (depth == 0) {
      break;
    }
  }
  return list;
}

/// Removes item `i`, with a comma.
void drop_item(std::string& text, const List& list, std::size_t i) {
  const bool last = i + 1 == list.items.size();
  const std::size_t begin = last && i > 0 ? list.items[i - 1].second : list.items[i].first;
  const std::size_t end = last ? list.items[i].second : list.items[i + 1].first;
  text.erase(begin, end - begin);
}

/// Drops parameter `i` of `count` of a function from its declaration and its calls, if that changes
/// nothing else.
bool drop_parameter(Program& program, std::vector<std::string>& codes, std::size_t index,
                    std::size_t i, std::size_t count) {
  const std::string own = program.all[index].names.front();
  std::map<std::size_t, std::vector<List>> calls;  // by declaration
  for (std::size_t at = 0; at < codes.size(); ++at) {
    const std::string& code = codes[at];
    bool whole = true;
    for_each_use(code, own, [&](std::size_t begin, std::size_t end) {
      const std::size_t open = code[end] == '<' ? after_closing(code, end, '<', '>') : end;
      const bool member = begin > 0 && (code[begin - 1] == '.' || code[begin - 1] == '>');
      const List list = open < code.size() && code[open] == '(' ? list_after(code, open) : List{};
      whole = whole && !member && list.items.size() == count &&
              (at == index || list.text(code, i).find_first_of("(=+-{") == std::string_view::npos);
      calls[at].push_back(list);
    });
    if (!whole) {
      return false;
    }
  }
  for (const auto& [at, lists] : calls) {
    std::string text = joined_lines(program.all[at].lines);
    for (std::size_t call = lists.size(); call-- > 0;) {
      drop_item(text, lists[call], i);
    }
    program.all[at].lines = lines_of(text);
    codes[at] = padded_code(program.all[at].lines);
  }
  return true;
}

}  // namespace

bool drop_idle_calls(Program& program, std::set<std::string>& objects) {
  std::map<std::string, bool> functions, classes;
  std::vector<bool> has_more(program.all.size(), false);
  for (const Declaration& d : program.all) {
    if (d.parent >= 0 && d.kind != Kind::kDropped && !is_empty_function(d) &&
        d.names.front() != "") {
      has_more[static_cast<std::size_t>(d.parent)] = true;
    }
  }
  for (std::size_t i = 0; i < program.all.size(); ++i) {
    const Declaration& d = program.all[i];
    if (d.kind == Kind::kFunction && d.parent < 0) {
      const auto [at, first] = functions.emplace(d.names.front(), true);
      at->second = at->second && is_empty_function(d);
    }
    if (d.kind == Kind::kClass && d.parent < 0 && !d.end.empty() && !has_more[i] &&
        joined_code(d.lines).find(" : ") == std::string::npos) {
      const bool calls = std::ranges::any_of(program.all, [&](const Declaration& member) {
        return member.parent == static_cast<int>(i) && member.kind == Kind::kMember &&
               member.lines.front().find("operator") != std::string::npos;
      });
      if (!calls) {
        classes.emplace(d.names.front(), true);
      }
    }
  }
  std::erase_if(functions, [](const auto& f) { return !f.second; });
  bool changed = false;
  for (Declaration& d : program.all) {
    if (d.kind == Kind::kMember && !d.names.front().empty() &&
        starts_with_one_of(trimmed(d.lines.front()), classes)) {
      objects.insert(d.names.front());
      d.kind = Kind::kDropped;
      changed = true;
    }
    if (d.kind != Kind::kFunction) {
      continue;
    }
    const auto does_nothing = [&](std::string_view text) {
      const std::size_t call = text.find('(');
      if (starts_with_one_of(text, classes)) {
        const std::size_t end = text.find_first_of(" (;{", text.rfind('>') + 1);
        const bool object = end < text.size() && text[end] == ' ' && text.ends_with(';');
        if (object) {
          const std::size_t stop = text.find_first_of(";({", end);
          objects.insert(std::string(text.substr(end + 1, stop - end - 1)));
        }
        return !object;
      }
      if (call == std::string_view::npos || starts_with_one_of(text, functions)) {
        return call != std::string_view::npos;
      }
      const std::string_view path = text.substr(0, call);
      const std::size_t dot = path.rfind('.');
      return dot != std::string_view::npos &&
             std::ranges::all_of(path, [](char c) { return is_word(c) || c == '.'; }) &&
             objects.contains(std::string(word_before(path, dot)));
    };
    changed = drop_statements(d, does_nothing) || changed;
  }
  return changed;
}

bool drop_parameters(Program& program) {
  std::vector<std::string> codes;
  std::map<std::string, int> declared;
  std::string in_macros;
  for (const Declaration& d : program.all) {
    codes.push_back(d.kind == Kind::kDropped ? "" : padded_code(d.lines));
    in_macros += d.kind == Kind::kMacro ? codes.back() : "";
    for (const std::string& name : d.names) {
      ++declared[name];
    }
  }
  bool changed = false;
  for (std::size_t index = 0; index < program.all.size(); ++index) {
    const Declaration& d = program.all[index];
    const std::string own = d.names.front();
    if (d.kind != Kind::kFunction || d.parent >= 0 || declared[own] != 1 ||
        codes[index].find("__global__") != std::string::npos ||
        codes[index].find("  TILECAST_") != std::string::npos || uses_of(in_macros, own) > 0) {
      continue;
    }
    const std::size_t open = codes[index].find(own + "(") + own.size();
    const bool is_template = trimmed(codes[index]).starts_with("template <");
    const List head = list_after(codes[index], open);
    for (std::size_t i = head.items.size(); i-- > 0;) {
      const std::string_view parameter = head.text(codes[index], i);
      const std::string_view name = word_before(parameter, parameter.size());
      const bool unread = name.empty()
                              ? parameter.ends_with('&')
                              : name.size() < parameter.size() && uses_of(codes[index], name) == 1;
      if (!unread || parameter.find('=') != std::string_view::npos ||
          (is_template && names_parameter_of(codes[index], parameter))) {
        continue;
      }
      if (drop_parameter(program, codes, index, i, head.items.size())) {
        changed = true;
        break;  // the next pass looks for more
      }
    }
  }
  return changed;
}

bool drop_unused(Program& program) {
  bool changed = false;
  std::set<std::string> in_macros;
  for (const Declaration& d : program.all) {
    if (const std::string code = joined_code(d.lines); d.kind == Kind::kMacro) {
      for_each_word(code, [&](std::size_t begin, std::size_t end) {
        in_macros.insert(code.substr(begin, end - begin));
      });
    }
  }
  for (Declaration& d : program.all) {
    if (d.kind != Kind::kFunction) {
      continue;
    }
    std::map<std::string, int> count;
    const std::string code = joined_code(d.lines);
    for_each_word(code, [&](std::size_t begin, std::size_t end) {
      count[code.substr(begin, end - begin)] += begin == 0 || code[begin - 1] != '.' ? 1 : 0;
    });
    const bool calls_macro = code.find("  TILECAST_") != std::string::npos;
    // The host compiler also parses constexpr functions, and warns about parameters that they do
    // not use.
    std::string& head = *std::ranges::find_if(
        d.lines, [](const std::string& line) { return line.find('(') != std::string::npos; });
    if (const std::size_t open = head.find('('); head.find("constexpr ") < open) {
      for (const std::string& item :
           list_items(head.substr(open + 1, after_closing(head, open, '(', ')') - open - 2))) {
        const std::string parameter(word_before(item, item.size()));
        if (const std::size_t at = head.find(" " + parameter, open);
            at != std::string::npos && count[parameter] == 1) {
          head.erase(at, parameter.size() + 1);
        }
      }
    }
    const auto unused = [&](std::string_view text) {
      if (text.starts_with("static_assert(")) {
        return true;
      }
      const bool declares =
          text.starts_with("const ") || text.starts_with("constexpr ") ||
          text.starts_with("using ") || text.starts_with("u32 ") ||
          (!text.empty() && std::isupper(static_cast<unsigned char>(text[0])) != 0);
      const std::size_t stop = std::min(text.find(" = "), text.find_first_of("({;"));
      const std::string_view before = text.substr(0, stop);
      const std::string own(word_before(before, before.size()));
      const char previous =
          before.size() > own.size() ? before[before.size() - own.size() - 1] : ':';
      return declares && stop < text.size() && !own.empty() && previous != ':' && previous != '.' &&
             count[own] == 1 && !(calls_macro && in_macros.contains(own));
    };
    changed = drop_statements(d, unused) || changed;
  }
  return changed;
}

}  // namespace tilecast
