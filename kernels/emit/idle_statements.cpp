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
