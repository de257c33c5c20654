#include "kernels/emit/declarations.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/base/text.h"

namespace tilecast {
namespace {

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
         ++i) {  // skip to the next name
      depth += depth_of(code.substr(i, 1));
    }
  }
}

}  // namespace

Lines lines_of(std::string_view text) {
  Lines lines;
  for (const std::string_view line : split(text, '\n')) {
    lines.emplace_back(line);
  }
  return lines;
}

std::string joined_code(std::span<const std::string> lines) {
  std::string code;
  for (const std::string& line : lines) {
    code += code_of(line) + '\n';
  }
  return code;
}

std::string joined_lines(const Lines& lines) { return fmt::format("{}", fmt::join(lines, "\n")); }

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

std::string_view word_before(std::string_view code, std::size_t end) {
  std::size_t begin = end;
  while (begin > 0 && is_word(code[begin - 1])) {
    --begin;
  }
  return code.substr(begin, end - begin);
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
      d.kind = Kind::kMember;  // it is a constructor
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

}  // namespace tilecast
