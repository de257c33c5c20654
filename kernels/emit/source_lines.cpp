#include "kernels/emit/source_lines.h"

#include <algorithm>
#include <cctype>

#include "model/base/text.h"

namespace tilecast {
namespace {

/// Returns the position of `what` in `text` outside of brackets.
std::size_t find_outside(std::string_view text, std::string_view what) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += depth_of(text.substr(i, 1));
    if (depth == 0 && text.substr(i).starts_with(what)) {
      return i;
    }
  }
  return std::string_view::npos;
}

struct Branch {
  std::string head;  // "if (a)", "if constexpr (a)", or "else"
  Lines body;
};

/// Returns the branches of the `if` that begins at line `at`; on return `at` is its last line.
std::vector<Branch> branches_at(const Lines& lines, std::size_t& at) {
  const std::size_t column = indent_of(lines[at]);
  std::vector<Branch> branches;
  do {
    Branch branch;
    std::string head;
    do {
      head += (head.empty() ? "" : " ") + std::string(trimmed(code_of(lines[at])));
    } while (!head.ends_with('{') && ++at < lines.size());
    head = head.substr(0, head.size() - 2);
    branch.head = head.starts_with("} else if") ? head.substr(7)
                  : head.starts_with("}")       ? "else"
                                                : head;
    while (!(lines[++at].starts_with(std::string(column, ' ') + "}"))) {
      branch.body.push_back(lines[at]);
    }
    branches.push_back(branch);
  } while (trimmed(lines[at]) != "}");
  return branches;
}

/// Whether the last statement leaves the block.
bool leaves(const Lines& body, std::size_t column) {
  const auto last = std::find_if(body.rbegin(), body.rend(), [&](const std::string& line) {
    return indent_of(line) == column && !line.starts_with('#');
  });
  return last != body.rend() &&
         (trimmed(*last).starts_with("return") || trimmed(*last) == "continue;");
}

void replace_all(std::string& line, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = line.find(what, at)) != std::string::npos; at += by.size()) {
    line.replace(at, what.size(), by);
  }
}

/// Breaks a statement into lines of at most kColumns, outside of brackets if possible.
Lines broken(std::string statement) {
  Lines lines;
  const std::string margin(indent_of(statement) + 4, ' ');
  while (statement.size() > kColumns) {
    std::size_t at = 0;
    int depth = 0, least = 1000;  // prefer few brackets, then commas
    for (std::size_t i = margin.size(); i < kColumns; ++i) {
      const char c = statement[i], previous = statement[i - 1];
      depth += depth_of(std::string_view(&c, 1)) + (c == '<' && is_word(previous) ? 1 : 0) -
               (c == '>' && (is_word(previous) || previous == ')') ? 1 : 0);
      const bool between =
          c == ',' || (std::string_view("=+?:|&").find(c) != std::string_view::npos &&
                       (previous == ' ' || previous == c));
      if (between && statement[i + 1] == ' ' && 2 * depth + (c != ',') <= least) {
        least = 2 * depth + (c != ',');
        at = i + 1;
      }
    }
    if (at == 0) {
      break;
    }
    lines.push_back(statement.substr(0, at));
    statement = margin + statement.substr(at + 1);
  }
  lines.push_back(statement);
  return lines;
}

/// Formats statements in as few lines as possible.
Lines reflowed(const Lines& lines) {
  Lines result;
  for (std::size_t i = 0, end; i < lines.size(); i = end) {
    bool plain = true;
    int depth = 0;
    std::string whole(indent_of(lines[i]), ' '), code;
    end = i;
    do {
      code = code_of(lines[end]);
      plain = plain && code == lines[end] && code.find_first_of("#\"") == std::string::npos;
      whole += (whole.ends_with('(') || end == i ? "" : " ") + std::string(trimmed(code));
      depth += depth_of(code);
      ++end;
    } while (end < lines.size() && !code.empty() && !code.ends_with('{') &&
             trimmed(code) != "public:" && trimmed(code) != "private:" &&
             (depth > 0 || std::string_view("=+?:|&").find(code.back()) != std::string_view::npos));
    const Lines fewer = broken(whole);
    const bool shorter = plain && depth <= 1 && fewer.size() < end - i;
    const auto from = shorter ? fewer.begin() : lines.begin() + static_cast<std::ptrdiff_t>(i);
    result.insert(result.end(), from,
                  shorter ? fewer.end() : lines.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return result;
}

/// Formats functions of one short statement on one line.
Lines with_short_functions(const Lines& lines) {
  Lines result;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string code = code_of(lines[i]);
    if (i + 2 < lines.size() && (code.ends_with(") {") || code.ends_with(") const {")) &&
        !trimmed(code).starts_with("if") && !trimmed(code).starts_with("for") &&
        !trimmed(code).starts_with("while") && !code_of(lines[i + 1]).ends_with('{') &&
        trimmed(lines[i + 2]) == "}" && lines[i] == code && code_of(lines[i + 1]) == lines[i + 1] &&
        lines[i].size() + trimmed(lines[i + 1]).size() + 3 <= kColumns) {
      result.push_back(lines[i] + " " + std::string(trimmed(lines[i + 1])) + " }");
      i += 2;
    } else {
      result.push_back(lines[i]);
    }
  }
  return result;
}

/// Aligns trailing comments of adjacent lines in one column, if they fit.
Lines with_aligned_comments(Lines lines) {
  const auto comment_of = [](const std::string& line) {
    const std::string code = code_of(line);
    const std::size_t at = line.find("  //", code.size());
    return trimmed(code).empty() || code.size() != at ? std::string::npos : at;
  };
  for (std::size_t begin = 0, end; begin < lines.size(); begin = end + 1) {
    std::size_t column = 0, widest = 0;
    for (end = begin; end < lines.size() && comment_of(lines[end]) != std::string::npos; ++end) {
      column = std::max(column, comment_of(lines[end]));
      widest = std::max(widest, lines[end].size() - comment_of(lines[end]));
    }
    for (std::size_t i = begin; i < end && column + widest <= kColumns; ++i) {
      const std::size_t at = comment_of(lines[i]);
      lines[i].insert(at, column - at, ' ');
    }
  }
  return lines;
}

}  // namespace

std::optional<std::string> value_of(std::string_view word, const Constants& constants) {
  const auto found = constants.find(std::string(word));
  if (found != constants.end()) {
    return found->second;
  }
  const bool enumerator = word.find("::k") != std::string_view::npos &&
                          !word.starts_with("Config::") &&
                          std::ranges::all_of(word, [](char c) { return is_word(c) || c == ':'; });
  const bool literal = enumerator || word == "true" || word == "false" || word == "nullptr";
  return literal || parse_integer(word) ? std::optional(std::string(word)) : std::nullopt;
}

std::optional<bool> decided(std::string_view condition, const Constants& constants) {
  constexpr std::size_t kNowhere = std::string_view::npos;
  for (const bool decisive : {true, false}) {  // a || b, then a && b
    const std::size_t at = find_outside(condition, decisive ? " || " : " && ");
    if (at != kNowhere) {
      const std::optional<bool> left = decided(condition.substr(0, at), constants);
      const std::optional<bool> right = decided(condition.substr(at + 4), constants);
      return left == decisive || right == decisive ? std::optional(decisive)
             : left && right                       ? std::optional(!decisive)
                                                   : std::nullopt;
    }
  }
  if (condition.starts_with('(') && condition.ends_with(')')) {
    return decided(condition.substr(1, condition.size() - 2), constants);
  }
  if (condition.starts_with('!')) {
    const std::optional<bool> other = decided(condition.substr(1), constants);
    return other ? std::optional(!*other) : std::nullopt;
  }
  for (const std::string_view comparison : {" == ", " != ", " > "}) {
    if (const std::size_t at = condition.find(comparison); at != kNowhere) {
      const auto left = value_of(condition.substr(0, at), constants);
      const auto right = value_of(condition.substr(at + comparison.size()), constants);
      if (!left || !right) {
        return std::nullopt;
      }
      if (comparison != " > ") {
        return (*left == *right) == (comparison == " == ");
      }
      const std::optional<i64> number = parse_integer(*left), other = parse_integer(*right);
      return number && other ? std::optional(*number > *other) : std::nullopt;
    }
  }
  const std::optional<std::string> value = value_of(condition, constants);
  return value == "true"    ? std::optional(true)
         : value == "false" ? std::optional(false)
                            : std::nullopt;
}

std::size_t indent_of(std::string_view line) {
  return std::min(line.find_first_not_of(' '), line.size());
}

std::string_view trimmed(std::string_view line) {
  line.remove_prefix(indent_of(line));
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::string code_of(std::string_view line) {
  std::string code(line);
  char quote = 0;
  for (std::size_t i = 0; i < code.size(); ++i) {
    const char c = code[i];
    if (quote != 0) {
      code[i] = c == quote ? c : ' ';
      if (c == '\\' && i + 1 < code.size()) {
        code[++i] = ' ';
      }
      quote = c == quote ? 0 : quote;
    } else if (c == '/' && i + 1 < code.size() && code[i + 1] == '/') {
      code.resize(i);
    } else if (c == '"' || (c == '\'' && (i == 0 || !is_word(code[i - 1])))) {
      quote = c;
    }
  }
  code.resize(code.find_last_not_of(' ') + 1);
  return code;
}

int depth_of(std::string_view code) {
  const auto count = [&](std::string_view set) {
    return static_cast<int>(
        std::ranges::count_if(code, [&](char c) { return set.find(c) != std::string_view::npos; }));
  };
  return count("([{") - count(")]}");
}

std::size_t end_of_statement(const Lines& lines, std::size_t at) {
  int depth = 0;
  while (at < lines.size()) {
    const std::string code = code_of(lines[at++]);
    depth += code.starts_with('#') ? 0 : depth_of(code);
    if (depth <= 0 && (code.ends_with(';') || code.ends_with('}'))) {
      break;
    }
  }
  return at;
}

Lines with_decided_branches(const Lines& lines, const Constants& constants) {
  Lines result;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string_view text = trimmed(lines[i]);
    const bool in_macro = lines[i].ends_with('\\');
    if (in_macro || (!text.starts_with("if (") && !text.starts_with("if constexpr ("))) {
      result.push_back(lines[i]);
      continue;
    }
    const std::size_t column = indent_of(lines[i]), begin = i;
    std::vector<Branch> left;
    bool changed = false;
    for (Branch& branch : branches_at(lines, i)) {
      std::optional<bool> holds;
      if (branch.head != "else") {
        const std::size_t open = branch.head.find('(') + 1;
        holds = decided(branch.head.substr(open, branch.head.size() - open - 1), constants);
      }
      changed = changed || holds;
      if (holds != false) {
        left.push_back({holds == true ? "else" : branch.head, branch.body});
      }
      if (holds == true) {
        break;
      }
    }
    const std::string margin(column, ' ');
    if (!left.empty() && left.front().head == "else") {
      for (std::string& line : left.front().body) {
        line.erase(0, line.starts_with("  ") ? 2 : 0);
      }
      const Lines body = with_decided_branches(left.front().body, constants);
      result.insert(result.end(), body.begin(), body.end());
      if (leaves(body, column)) {  // the rest of the block is never reached
        while (i + 1 < lines.size() && (lines[i + 1].empty() || lines[i + 1][0] == '#' ||
                                        indent_of(lines[i + 1]) >= column)) {
          ++i;
        }
      }
      continue;
    }
    std::string before = margin;
    for (const Branch& branch : left) {
      if (changed || branch.head == "else") {
        const bool more = &branch != &left.front() && branch.head != "else";
        result.push_back(before + (more ? "else " : "") + branch.head + " {");
      } else {  // formatted as it is broken into lines
        std::size_t at = begin;
        for (; !code_of(lines[at]).ends_with('{'); ++at) {
          result.push_back(lines[at]);
        }
        result.push_back(lines[at]);
      }
      const Lines body = with_decided_branches(branch.body, constants);
      result.insert(result.end(), body.begin(), body.end());
      before = margin + "} ";
      changed = true;
    }
    if (!left.empty()) {
      result.push_back(margin + "}");
    }
  }
  return result;
}

Lines with_decided_choices(const Lines& lines, const Constants& constants) {
  std::string text, code;  // equally long
  for (const std::string& line : lines) {
    text += line + '\n';
    code += code_of(line);
    code.resize(text.size() - 1, ' ');
    code += '\n';
  }
  for (std::size_t at = 0; (at = code.find(" ? ", at)) != std::string::npos; ++at) {
    constexpr std::string_view kOfConditions = ":!=<>&|. ";
    std::size_t begin = at;
    while (begin > 0 && (is_word(code[begin - 1]) ||
                         kOfConditions.find(code[begin - 1]) != std::string_view::npos)) {
      --begin;
    }
    for (const std::string_view before : {"return ", " = ", " : "}) {
      const std::size_t found = code.rfind(before, at - before.size());
      begin = found != std::string::npos && found >= begin ? found + before.size() : begin;
    }
    begin = std::min(code.find_first_not_of(' ', begin), at);
    const std::size_t before = code.find_last_not_of(" \n", begin - 1);
    const bool whole = before == std::string::npos ||
                       std::string_view("+-*/%])").find(code[before]) == std::string_view::npos;
    const std::optional<bool> first =
        decided(std::string_view(code).substr(begin, at - begin), constants);
    if (!whole || !first || begin == at) {
      continue;
    }
    std::size_t colon = 0, end = at + 3;
    for (int depth = 0, inner = 0;; ++end) {
      const char c = code[end];
      depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
      if (depth < 0 || (depth == 0 && (c == ';' || c == ','))) {
        break;
      }
      if (depth == 0 && colon == 0 && code[end - 1] == ' ' && code[end + 1] == ' ') {
        inner += c == '?' ? 1 : 0;
        colon = c == ':' && inner == 0 ? end : 0;
        inner -= c == ':' ? 1 : 0;
      }
    }
    std::string chosen =
        *first ? text.substr(at + 3, colon - at - 3) : text.substr(colon + 2, end - colon - 2);
    chosen.resize(chosen.find_last_not_of(" \n") + 1);
    if (text[begin - 1] == '(' && text[end] == ')' && !is_word(text[begin - 2]) &&
        chosen.find(' ') == std::string::npos) {
      --begin;
      ++end;
    }
    text.replace(begin, end - begin, chosen);
    code.replace(begin, end - begin, chosen);
    at = begin;
  }
  Lines result;
  for (const std::string_view line : split(text, '\n')) {
    result.emplace_back(line);
  }
  while (!result.empty() && result.back().empty()) {
    result.pop_back();
  }
  return result;
}

Lines without_template_parameter(const Lines& lines) {
  Lines result;
  for (const std::string& line : lines) {
    if (trimmed(line) == "template <class Config>") {
      continue;
    }
    std::string changed = line;
    replace_all(changed, "template <class Config, ", "template <");
    for (const std::string_view end : {">", ","}) {
      replace_all(changed, ", class Config" + std::string(end), end);
    }
    replace_all(changed, "<Config, ", "<");
    replace_all(changed, "<Config>", "");
    replace_all(changed, "<tilecast::Config>", "");
    result.push_back(changed);
  }
  return with_aligned_comments(with_short_functions(reflowed(result)));
}

}  // namespace tilecast
