#include "kernels/emit/used_source.h"

#include <algorithm>
#include <map>
#include <span>

#include "kernels/jit/source_closure.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

enum class Kind { kClass, kFunction, kVariable, kType, kMacro, kMember, kDropped };

struct Declaration {
  std::string space, path;  // namespace, and file
  int parent = -1;          // class that it is a member of
  Kind kind = Kind::kVariable;
  std::vector<std::string> names{};
  Lines comment{}, lines{};  // of a class those before its members
  std::string end{};         // of a class
  bool apart = false;        // after a blank line
  bool kept = false;
};

Lines lines_of(std::string_view text) {
  Lines lines;
  for (const std::string_view line : split(text, '\n')) {
    lines.emplace_back(line);
  }
  return lines;
}

/// Without the directives that are decided: what nvcc sees.
Lines seen_by_nvcc(const Lines& lines) {
  Lines result;
  std::vector<int> inside;  // 1: kept, 0: not, 2: not decided
  for (const std::string& line : lines) {
    const bool opens = line.starts_with("#if"), own = line.find("__CUDACC_") != std::string::npos;
    if (opens) {
      inside.push_back(!own ? 2 : line.starts_with("#ifdef"));
    }
    const bool decided = !inside.empty() && inside.back() != 2 &&
                         (opens || line.starts_with("#else") || line.starts_with("#endif"));
    const bool visible = std::ranges::find(inside, 0) == inside.end();
    if (visible && !decided && !line.starts_with("#include \"") &&
        !line.starts_with("#pragma once") && !line.starts_with("#undef")) {
      result.push_back(line);
    }
    if (line.starts_with("#else") && inside.back() != 2) {
      inside.back() = 1 - inside.back();
    } else if (line.starts_with("#endif")) {
      inside.pop_back();
    }
  }
  return result;
}

std::string joined_code(std::span<const std::string> lines) {
  std::string code;
  for (const std::string& line : lines) {
    code += code_of(line) + '\n';
  }
  return code;
}

/// Behind the bracket that closes the one at `open`.
std::size_t after_closing(std::string_view code, std::size_t open, char opening, char closing) {
  int depth = 0;
  for (; open < code.size(); ++open) {
    depth += code[open] == opening ? 1 : code[open] == closing ? -1 : 0;
    if (depth == 0) {
      return open + 1;
    }
  }
  return code.size();
}

/// "a, b<c, d>": the two.
std::vector<std::string> list_items(std::string_view list) {
  std::vector<std::string> items(1);
  int depth = 0;
  for (const char c : list) {
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      items.emplace_back();
    } else if (c != '\n' && (c != ' ' || !items.back().empty())) {
      items.back() += c;
    }
  }
  return items;
}

/// Calls `visit(begin, end)` for each word.
void for_each_word(std::string_view code, const auto& visit) {
  for (std::size_t i = 0, end; i < code.size(); i = end + 1) {
    for (end = i; end < code.size() && is_word(code[end]);) {
      ++end;
    }
    if (end > i) {
      visit(i, end);
    }
  }
}

std::string_view word_before(std::string_view code, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && is_word(code[begin - 1])) {
    --begin;
  }
  return code.substr(begin, end - begin);
}

/// Fills in kind and names from the declaration's code.
void name(Declaration& d, std::string code) {
  while (trimmed(code).starts_with("template <")) {
    const std::size_t open = code.find('<');
    code.erase(0, after_closing(code, open, '<', '>') + 1);
  }
  code = std::string(trimmed(code));
  const auto first_word_behind = [&](std::size_t at) {
    std::size_t end = at;
    while (end < code.size() && is_word(code[end])) {
      ++end;
    }
    return code.substr(at, end - at);
  };
  for (const std::string start :
       {"#define ", "static_assert", "enum class ", "enum ", "using ", "struct ", "class "}) {
    if (!code.starts_with(start)) {
      continue;
    }
    std::size_t at = start.size();
    if (code.substr(at).starts_with("alignas(")) {
      at = after_closing(code, code.find('(', at), '(', ')') + 1;
    }
    d.kind = start == "#define "                       ? Kind::kMacro
             : start == "static_assert"                ? Kind::kDropped
             : start == "struct " || start == "class " ? Kind::kClass
                                                       : Kind::kType;
    d.names = {start == "static_assert" ? "" : first_word_behind(at)};
    return;
  }
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (std::string_view("=;[{(,").find(code[i]) == std::string_view::npos) {
      i = code[i] == '<' && i > 0 && is_word(code[i - 1]) ? after_closing(code, i, '<', '>') - 1
                                                          : i;
      continue;
    }
    const std::size_t end = code.find_last_not_of(' ', i - 1) + 1;
    const std::string word(word_before(code, end));
    if (code[i] == '(' && (word == "__launch_bounds__" || word == "__align__")) {
      i = after_closing(code, i, '(', ')') - 1;
      continue;
    }
    if (code.substr(0, i).find("operator") != std::string::npos) {
      const bool compares = code.find("operator==") != std::string::npos;
      d.kind = compares ? Kind::kDropped : Kind::kMember;
      d.names = {""};
      return;
    }
    d.names.push_back(word);
    d.kind = code[i] == '(' ? Kind::kFunction : Kind::kVariable;
    if (code[i] == '(' || code[i] == '{') {
      return;
    }
    for (int depth = 0; i < code.size() && (depth > 0 || code[i] != ',');
         ++i) {  // to the next name
      depth += depth_of(code.substr(i, 1));
    }
  }
}

void declare(const Lines& lines, const std::string& path, std::string space, int parent,
             std::vector<Declaration>& to) {
  Lines comment;
  bool apart = false;
  for (std::size_t i = 0; i < lines.size();) {
    const std::string_view text = trimmed(lines[i]);
    if (text.empty() || text.starts_with("//")) {
      apart = apart || text.empty();
      if (text.empty()) {
        comment.clear();
      } else {
        comment.push_back(lines[i]);
      }
      ++i;
      continue;
    }
    if (text.starts_with("namespace ") || text.starts_with("}")) {
      space = text.starts_with("}") ? "" : std::string(text.substr(10, text.size() - 12));
      comment.clear();
      ++i;
      continue;
    }
    Declaration d{
        .space = space, .path = path, .parent = parent, .comment = comment, .apart = apart};
    comment.clear();
    apart = false;
    std::size_t end = i + 1;
    if (text == "public:" || text == "private:") {
      d.kind = Kind::kMember;
      d.names = {""};
    } else {
      if (text.starts_with("#")) {
        while (lines[end - 1].ends_with('\\')) {
          ++end;
        }
      } else {
        end = end_of_statement(lines, i);
      }
      name(d, joined_code(std::span(lines).subspan(i, end - i)));
    }
    d.lines.assign(lines.begin() + static_cast<std::ptrdiff_t>(i),
                   lines.begin() + static_cast<std::ptrdiff_t>(end));
    i = end;
    if (parent >= 0 && d.kind == Kind::kClass && !d.lines.back().ends_with("};")) {
      d.kind = Kind::kMember;
      d.names.push_back("?");
    }
    if (parent >= 0 && d.kind == Kind::kVariable &&
        d.lines.front().find("static ") == std::string::npos) {
      d.kind = Kind::kMember;
    }
    if (parent >= 0 && d.names.front() == to[static_cast<std::size_t>(parent)].names.front()) {
      d.kind = Kind::kMember;  // a constructor
    }
    Lines members;
    if (d.kind == Kind::kClass && d.lines.size() > 1) {
      auto body = std::ranges::find_if(
          d.lines, [](const std::string& line) { return code_of(line).ends_with('{'); });
      if (body != d.lines.end()) {
        members.assign(body + 1, d.lines.end() - 1);
        d.end = d.lines.back();
        d.lines.erase(body + 1, d.lines.end());
      }
    }
    to.push_back(d);
    declare(members, path, space, static_cast<int>(to.size()) - 1, to);
  }
}

class Program {
 public:
  Program(const SourceParts& parts, const SourceUse& use) : use_(use) {
    constants_ = use.known;
    for (const SourceParts::Part& part : parts.all()) {
      learn(part.lines);
    }
    std::vector<SourceParts::Part> ordered = parts.all();
    std::ranges::stable_sort(ordered, {},
                             [](const SourceParts::Part& part) { return rank_of(part.path); });
    for (const SourceParts::Part& part : ordered) {
      Lines lines = seen_by_nvcc(part.lines);
      std::erase_if(lines, [&](const std::string& line) {
        const bool toolkit = line.starts_with("#include <");
        if (toolkit) {
          toolkit_.insert(line.substr(9));
        }
        return toolkit;
      });
      heads_[part.path] = head_of(part);
      for (std::string& line : lines) {
        for (const bool registers : {false, true}) {
          if (line.find(registers ? "EVERY_N(TILECAST_REGISTERS" : "EVERY_N(TILECAST_SHARED") !=
                  std::string::npos &&
              !line.starts_with('#')) {
            line = use.wgmma[registers];
          }
        }
      }
      lines = with_decided_choices(with_decided_branches(lines, constants_), constants_);
      declare(lines, part.path, "", -1, all_);
    }
  }

  std::string text() {
    choose_specializations();
    bind_parameters();
    while (put_values() || drop_empty() || drop_unused()) {
    }
    reach();
    return printed();
  }

  const std::set<std::string>& toolkit() const { return toolkit_; }

 private:
  /// Types and configuration first, then instructions, none of which needs more than these.
  static int rank_of(std::string_view path) {
    const bool types = path.ends_with(".h") || path == "configuration";
    return types ? 0 : path.starts_with("kernels/ptx/") ? 1 : 2;
  }

  /// A file's first comment: its first paragraph, or for the kernel all that says what it does.
  Lines head_of(const SourceParts::Part& part) const {
    Lines head;
    for (const std::string& line : part.path.starts_with("model/") ? Lines{} : part.lines) {
      const bool ends = part.path == use_.kernel ? line.starts_with("// Contract: ") : line == "//";
      if (!line.starts_with("//") || ends || line.starts_with("// Checked by: ")) {
        break;
      }
      head.push_back(line);
    }
    while (!head.empty() && head.back() == "//") {
      head.pop_back();
    }
    return head;
  }

  /// Values of constants that are literals.
  void learn(const Lines& lines) {
    std::string prefix;
    for (const std::string& line : lines) {
      const std::string code = code_of(line);
      if (code.starts_with("struct ")) {
        prefix = code.starts_with("struct Config ") ? "Config::" : "?";
      } else if (code.starts_with("}")) {
        prefix.clear();
      }
      const std::string_view text = trimmed(code);
      const std::size_t equals = text.find(" = ");
      if (prefix == "?" || prefix.empty() == line.starts_with(' ') ||
          equals == std::string_view::npos || !text.ends_with(';') ||
          !(text.starts_with("constexpr ") || text.starts_with("static constexpr ") ||
            text.starts_with("using "))) {
        continue;
      }
      const std::string value(text.substr(equals + 3, text.size() - equals - 4));
      if (std::ranges::all_of(value, [](char c) { return is_word(c) || c == ':'; })) {
        constants_[prefix + std::string(word_before(text, equals))] = value;
      }
    }
  }

  /// Keeps the specialization that this program chooses, of classes that have one for each choice.
  void choose_specializations() {
    const std::string start = "template <class Config, ", is = " = typename Config",
                      is_value = " = Config";
    std::map<std::string, std::string> chosen;  // class: the specialization's arguments, or none
    for (Declaration& d : all_) {
      if (d.kind != Kind::kClass || d.lines.empty() || !d.lines.front().starts_with(start)) {
        continue;
      }
      const std::string& head = d.lines.front();
      const std::size_t at = head.find(" = ");
      if (at == std::string::npos || (head.find(is) != at && head.find(is_value) != at)) {
        continue;
      }
      const std::size_t from = head.find("Config", at);
      const std::string value = constants_[head.substr(from, head.rfind('>') - from)];
      const std::string special = d.names.front() + "<Config, " + value + ">";
      const bool exists = std::ranges::any_of(all_, [&](const Declaration& other) {
        return other.kind == Kind::kClass &&
               other.lines.back().find(" " + special + " ") != std::string::npos;
      });
      chosen[d.names.front()] = exists ? special : "";
      if (!exists) {
        d.lines.erase(d.lines.begin());
      }
    }
    for (Declaration& d : all_) {
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
    for (Declaration& d : all_) {
      if (d.parent >= 0 && of_parent(d).kind == Kind::kDropped) {
        d.kind = Kind::kDropped;
      }
    }
  }

  const Declaration& of_parent(const Declaration& d) const {
    return all_[static_cast<std::size_t>(d.parent)];
  }

  /// The first line of a function's body, or the one after its last.
  static std::size_t body_of(const Declaration& d) {
    std::size_t at = 0;
    while (at < d.lines.size() && !code_of(d.lines[at++]).ends_with('{')) {
    }
    return at;
  }

  /// Drops the statements of a body whose first line `wanted` holds for.
  static bool drop_statements(Declaration& d, const auto& wanted) {
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

  static bool is_empty_function(const Declaration& d) {
    std::string code = joined_code(d.lines);
    std::erase_if(code, [](char c) { return c == ' ' || c == '\n'; });
    return d.kind == Kind::kFunction && code.ends_with("{}") &&
           code.find("void" + d.names.front() + "(") != std::string::npos;
  }

  /// Decides branches of templates that are called with one value of a parameter only.
  void bind_parameters() {
    for (Declaration& d : all_) {
      const std::string_view head = d.lines.empty() ? "" : trimmed(d.lines.front());
      if (d.kind != Kind::kFunction || !head.starts_with("template <") || !head.ends_with('>')) {
        continue;
      }
      std::vector<std::vector<std::string>> calls;  // arguments
      for (const Declaration& caller : all_) {
        if (&caller == &d || caller.kind != Kind::kFunction) {
          continue;
        }
        const std::string code = joined_code(caller.lines), own = d.names.front();
        for (std::size_t at = 0; (at = code.find(own, at)) != std::string::npos;) {
          const std::size_t end = at + own.size();
          const bool whole = at > 0 && !is_word(code[at - 1]);
          if (whole && code[end] == '<') {
            calls.push_back(
                list_items(code.substr(end + 1, after_closing(code, end, '<', '>') - end - 2)));
          } else if (whole && code[end] == '(') {
            calls.emplace_back();
          }
          at = end;
        }
      }
      Constants known = constants_;
      const std::vector<std::string> parameters = list_items(head.substr(10, head.size() - 11));
      for (std::size_t i = 0; i < parameters.size(); ++i) {
        const std::size_t equals = parameters[i].find(" = ");
        const std::string name(word_before(parameters[i], std::min(equals, parameters[i].size())));
        std::set<std::string> values;
        for (const std::vector<std::string>& call : calls) {
          const std::string given = i < call.size() ? call[i]
                                    : equals == std::string::npos
                                        ? ""
                                        : parameters[i].substr(equals + 3);
          const std::optional<bool> flag = decided(given, constants_);
          values.insert(flag ? (*flag ? "true" : "false")
                             : value_of(given, constants_).value_or(""));
        }
        if (values.size() == 1 && !values.begin()->empty()) {
          known[name] = *values.begin();
        }
      }
      d.lines = with_decided_choices(with_decided_branches(d.lines, known), known);
    }
  }

  /// Functions that return a constant or an argument, in place of their calls.
  bool put_values() {
    bool changed = false;
    for (Declaration& d : all_) {
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
      if (const std::optional<bool> holds = decided(value, constants_)) {
        value = *holds ? "true" : "false";
      }
      const bool argument = value.starts_with("args.") || value.starts_with("&args.");
      const bool literal = value == "true" || value == "false" || parse_integer(value);
      const auto same = std::ranges::count_if(all_, [&](const Declaration& other) {
        return other.kind == Kind::kFunction && other.names.front() == own;
      });
      const bool plain =
          std::ranges::all_of(value, [](char c) { return is_word(c) || c == '.' || c == '&'; });
      if ((!argument && !literal) || !plain || same > 1) {
        continue;
      }
      d.kind = Kind::kDropped;
      changed = true;
      for (Declaration& caller : all_) {
        if (caller.kind == Kind::kDropped || caller.kind == Kind::kClass) {
          continue;
        }
        std::string text;
        for (const std::string& line : caller.lines) {
          text += line + '\n';
        }
        text.pop_back();
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
          caller.lines =
              with_decided_choices(with_decided_branches(lines_of(text), constants_), constants_);
        }
      }
    }
    return changed;
  }

  /// Statements that call functions that do nothing, or make objects of classes that hold nothing.
  bool drop_empty() {
    std::map<std::string, bool> functions, classes;
    std::vector<bool> has_more(all_.size(), false);
    for (const Declaration& d : all_) {
      if (d.parent >= 0 && d.kind != Kind::kDropped && !is_empty_function(d) &&
          d.names.front() != "") {
        has_more[static_cast<std::size_t>(d.parent)] = true;
      }
    }
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const Declaration& d = all_[i];
      if (d.kind == Kind::kFunction && d.parent < 0) {
        const auto [at, first] = functions.emplace(d.names.front(), true);
        at->second = at->second && is_empty_function(d);
      }
      if (d.kind == Kind::kClass && d.parent < 0 && !d.end.empty() && !has_more[i] &&
          joined_code(d.lines).find(" : ") == std::string::npos) {
        const bool calls = std::ranges::any_of(all_, [&](const Declaration& member) {
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
    for (Declaration& d : all_) {
      if (d.kind == Kind::kMember && !d.names.front().empty() &&
          starts_with_one_of(trimmed(d.lines.front()), classes)) {
        objects_.insert(d.names.front());
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
            objects_.insert(std::string(text.substr(end + 1, stop - end - 1)));
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
               objects_.contains(std::string(word_before(path, dot)));
      };
      changed = drop_statements(d, does_nothing) || changed;
    }
    return changed;
  }

  static bool starts_with_one_of(std::string_view text, const std::map<std::string, bool>& names) {
    std::size_t end = 0;
    while (end < text.size() && is_word(text[end])) {
      ++end;
    }
    return end > 0 && end < text.size() &&
           std::string_view("<:(;{ ").find(text[end]) != std::string_view::npos &&
           names.contains(std::string(text.substr(0, end)));
  }

  /// Local constants and objects that nothing uses, and the checks of what is fixed here.
  bool drop_unused() {
    bool changed = false;
    std::set<std::string> in_macros;
    for (const Declaration& d : all_) {
      if (const std::string code = joined_code(d.lines); d.kind == Kind::kMacro) {
        for_each_word(code, [&](std::size_t begin, std::size_t end) {
          in_macros.insert(code.substr(begin, end - begin));
        });
      }
    }
    for (Declaration& d : all_) {
      if (d.kind != Kind::kFunction) {
        continue;
      }
      std::map<std::string, int> count;
      const std::string code = joined_code(d.lines);
      for_each_word(code, [&](std::size_t begin, std::size_t end) {
        count[code.substr(begin, end - begin)] += begin == 0 || code[begin - 1] != '.' ? 1 : 0;
      });
      const bool calls_macro = code.find("  TILECAST_") != std::string::npos;
      // The host compiler reads constexpr functions, and warns of parameters that they do not.
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
        return declares && stop < text.size() && !own.empty() && previous != ':' &&
               previous != '.' && count[own] == 1 && !(calls_macro && in_macros.contains(own));
      };
      changed = drop_statements(d, unused) || changed;
    }
    return changed;
  }

  /// The names that a declaration uses (used_source.h), in the forms that uses() looks for.
  void use_names_of(const Declaration& d) {
    const std::string code = joined_code(d.lines);
    const std::string own = d.parent >= 0            ? of_parent(d).names.front()
                            : d.kind == Kind::kClass ? d.names.front()
                                                     : "";
    for_each_word(code, [&](std::size_t i, std::size_t end) {
      const std::string word = code.substr(i, end - i);
      for (const Declaration& other : all_) {  // whose names a macro pastes
        if (code.compare(end, 2, "##") == 0 && other.names.front().starts_with(word)) {
          used_.insert(other.names.front());
        }
      }
      const bool called = end < code.size() && (code[end] == '(' || code[end] == '<');
      std::string qualifier;
      if (i >= 2 && code.compare(i - 2, 2, "::") == 0) {
        std::size_t at = i - 2;
        if (at > 0 && code[at - 1] == '>') {  // of a template
          for (int depth = 0; at > 0;) {
            --at;
            depth += code[at] == '>' ? 1 : code[at] == '<' ? -1 : 0;
            if (depth == 0) {
              break;
            }
          }
        }
        qualifier = word_before(code, at);
      }
      const bool member =
          i > 0 && (code.compare(std::max(i, std::size_t{9}) - 9, 9, "template ") == 0 ||
                    code[i - 1] == '.' || (i > 1 && code.compare(i - 2, 2, "->") == 0));
      if (member ||
          (!qualifier.empty() && spaces_.contains(qualifier) == false && qualifier != "std")) {
        used_.insert(member || !has_member(qualifier, word) ? "." + word : qualifier + "::" + word);
      } else if (qualifier != "std") {
        used_.insert(word);
        if (called) {
          used_.insert(word + "(");
        }
        if (!own.empty()) {
          used_.insert(own + "::" + word);
        }
      }
    });
  }

  bool has_member(const std::string& name, const std::string& member) const {
    return std::ranges::any_of(all_, [&](const Declaration& d) {
      return d.parent >= 0 && of_parent(d).names.front() == name &&
             std::ranges::find(d.names, member) != d.names.end();
    });
  }

  bool is_used(const Declaration& d, std::size_t index) const {
    if (d.kind == Kind::kDropped || (d.parent >= 0 && !of_parent(d).kept)) {
      return false;
    }
    const auto any = [&](const auto& form) {
      return std::ranges::any_of(
          d.names, [&](const std::string& name) { return used_.contains(form(name)); });
    };
    if (d.parent >= 0) {
      const std::string& own = of_parent(d).names.front();
      if (d.kind == Kind::kMember && !use_.optional.contains(own)) {
        return true;
      }
      if (any([](const std::string& name) { return "." + name; }) ||
          any([&](const std::string& name) { return own + "::" + name; })) {
        return true;
      }
      // Arguments of the kernel before one that is used keep their places.
      return d.kind == Kind::kMember && use_.optional.at(own) &&
             std::any_of(
                 all_.begin() + static_cast<std::ptrdiff_t>(index) + 1, all_.end(),
                 [&](const Declaration& other) { return other.parent == d.parent && other.kept; });
    }
    return d.kind == Kind::kFunction ? any([](const std::string& name) { return name + "("; })
                                     : any([](const std::string& name) { return name; });
  }

  void reach() {
    for (const std::string& root : use_.roots) {
      used_.insert(root + "(");
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < all_.size(); ++i) {
        if (!all_[i].kept && is_used(all_[i], i)) {
          all_[i].kept = changed = true;
          use_names_of(all_[i]);
        }
      }
    }
  }

  std::string printed() const {
    Lines lines;
    std::string space, path;
    const auto enter = [&](const std::string& next) {
      if (next != space) {
        if (!space.empty()) {
          lines.push_back("");
          lines.push_back("}  // namespace " + space);
        }
        if (!next.empty()) {
          lines.push_back("");
          lines.push_back("namespace " + next + " {");
        }
        space = next;
      }
    };
    std::vector<int> open;  // classes
    const auto close = [&](int until) {
      while (!open.empty() && open.back() != until) {
        lines.push_back(all_[static_cast<std::size_t>(open.back())].end);
        open.pop_back();
      }
    };
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const Declaration& d = all_[i];
      if (!d.kept) {
        continue;
      }
      close(d.parent);
      enter(d.space);
      if (d.path != path) {
        lines.push_back("");
        lines.push_back("// ---- " + d.path);
        const Lines& head = heads_.at(d.path);
        lines.insert(lines.end(), head.begin(), head.end());
        path = d.path;
      } else if (d.apart && !trimmed(lines.back()).ends_with('{')) {
        lines.push_back("");
      }
      lines.insert(lines.end(), d.comment.begin(), d.comment.end());
      lines.insert(lines.end(), d.lines.begin(), d.lines.end());
      if (!d.end.empty()) {
        open.push_back(static_cast<int>(i));
      }
    }
    close(-1);
    enter("");
    std::string text;
    for (const std::string& line : without_template_parameter(lines)) {
      text += line + '\n';
    }
    return text;
  }

  const SourceUse& use_;
  Constants constants_;
  std::vector<Declaration> all_;
  std::set<std::string> objects_, used_;
  std::set<std::string> toolkit_;
  std::map<std::string, Lines> heads_;
  std::set<std::string> spaces_{"tilecast", "ptx", "emitted"};
};

}  // namespace

void SourceParts::add(const std::string& path, std::string_view text) {
  for (const std::string_view line : split(text, '\n')) {
    add_file(std::string(included_path(line)));
  }
  parts_.push_back({path, lines_of(text)});
}

void SourceParts::add_file(const std::string& path) {
  if (!path.empty() && seen_.insert(path).second) {
    add(path, source_closure(path, embedded_sources()).front().text);
  }
}

UsedSource used_source(const SourceParts& parts, const SourceUse& use) {
  Program program(parts, use);
  return {program.text(), program.toolkit()};
}

}  // namespace tilecast
