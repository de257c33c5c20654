#include "kernels/emit/tokens.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "model/base/error.h"

namespace tilecast {
namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

/// The length and kind of the token at `at`.
std::size_t length_of(std::string_view text, std::size_t at, bool at_line_begin, TokenKind& kind) {
  const std::string_view rest = text.substr(at);
  const auto up_to = [&](std::string_view end, std::size_t from) {
    const std::size_t found = rest.find(end, from);
    return found == std::string_view::npos ? rest.size() : found;
  };
  if (rest.starts_with("//")) {
    kind = TokenKind::kComment;
    return up_to("\n", 0);
  }
  if (rest.starts_with("/*")) {
    kind = TokenKind::kComment;
    return up_to("*/", 2) + 2;
  }
  if (rest.front() == '#' && at_line_begin) {
    kind = TokenKind::kDirective;
    std::size_t end = up_to("\n", 0);
    while (end < rest.size() && rest[end - 1] == '\\') {
      end = up_to("\n", end + 1);
    }
    return end;
  }
  if (rest.front() == '"' || rest.front() == '\'') {
    kind = TokenKind::kString;
    std::size_t end = 1;
    while (rest[end] != rest.front()) {
      end += rest[end] == '\\' ? 2 : 1;
    }
    return end + 1;
  }
  if (std::isdigit(static_cast<unsigned char>(rest.front())) != 0) {
    kind = TokenKind::kNumber;
    std::size_t end = 1;
    while (end < rest.size() && (in_word(rest[end]) || rest[end] == '.' ||
                                 ((rest[end] == '-' || rest[end] == '+') &&
                                  (rest[end - 1] == 'p' || rest[end - 1] == 'P' ||
                                   (rest[end - 1] == 'e' && !rest.starts_with("0x")))))) {
      ++end;
    }
    return end;
  }
  if (in_word(rest.front())) {
    kind = TokenKind::kWord;
    return static_cast<std::size_t>(std::ranges::find_if_not(rest, in_word) - rest.begin());
  }
  kind = TokenKind::kPunctuation;
  // Not >>, which also closes two lists of template arguments.
  constexpr std::array<std::string_view, 22> kLong = {
      "...", "<<=", "::", "->", "&&", "||", "==", "!=", "<=", ">=", "<<",
      "++",  "--",  "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "##"};
  const auto found =
      std::ranges::find_if(kLong, [&](std::string_view p) { return rest.starts_with(p); });
  return found == kLong.end() ? 1 : found->size();
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  return begin == std::string_view::npos
             ? std::string_view()
             : text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

struct Macro {
  bool takes_arguments = false;
  std::vector<std::string> parameters;
  Tokens body;
};

/// Macros, and the tokens in which they stand for others.
class Macros {
 public:
  void define(std::string_view text) {  // after #define
    std::string joined(text);
    for (std::size_t at; (at = joined.find("\\\n")) != std::string::npos;) {
      joined.replace(at, 2, "\n");
    }
    Tokens tokens = tokens_of(joined);
    Macro macro;
    std::size_t at = 1;
    if (tokens.size() > 1 && tokens[1].is("(") && tokens[1].before.empty()) {
      macro.takes_arguments = true;
      const std::size_t end = behind_bracket(tokens, 1);
      for (at = 2; at + 1 < end; ++at) {
        if (!tokens[at].is(",")) {
          macro.parameters.push_back(tokens[at].is("...") ? "__VA_ARGS__" : tokens[at].text);
        }
      }
      at = end;
    }
    macro.body.assign(tokens.begin() + static_cast<std::ptrdiff_t>(at), tokens.end());
    std::erase_if(macro.body, [](const Token& t) { return t.kind == TokenKind::kComment; });
    int least = 1000;
    for (const Token& token : macro.body) {
      least = token.starts_line() ? std::min(least, token.indent()) : least;
    }
    for (Token& token : macro.body) {
      if (token.starts_line()) {
        token.before = "\n" + std::string(static_cast<std::size_t>(token.indent() - least), ' ');
      }
    }
    macros_[tokens[0].text] = macro;
  }
  void forget(const std::string& name) { macros_.erase(name); }

  /// `indent`: of the line that the tokens are in.
  Tokens expanded(const Tokens& tokens, int indent,
                  const std::set<std::string>& hidden = {}) const {
    Tokens out;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const Token& token = tokens[i];
      indent = token.starts_line() ? token.indent() : indent;
      const auto found = token.kind == TokenKind::kWord ? macros_.find(token.text) : macros_.end();
      if (found == macros_.end() || hidden.contains(token.text) ||
          (found->second.takes_arguments && (i + 1 == tokens.size() || !tokens[i + 1].is("(")))) {
        out.push_back(token);
        continue;
      }
      const Macro& macro = found->second;
      Tokens body = macro.body;
      if (macro.takes_arguments) {
        const std::size_t end = behind_bracket(tokens, i + 1);
        body = substituted(macro, arguments(macro, tokens, i + 2, end - 1));
        i = end - 1;
      }
      for (Token& t : body) {
        if (t.starts_line()) {
          t.before += std::string(static_cast<std::size_t>(indent), ' ');
        }
      }
      std::set<std::string> inner = hidden;
      inner.insert(token.text);
      body = expanded(body, indent, inner);
      if (!body.empty()) {
        body.front().before = token.before;
      }
      out.insert(out.end(), body.begin(), body.end());
    }
    return out;
  }

 private:
  static std::vector<Tokens> arguments(const Macro& macro, const Tokens& tokens, std::size_t begin,
                                       std::size_t end) {
    std::vector<Tokens> found(1);
    for (std::size_t i = begin; i < end; ++i) {
      const bool more = found.size() < macro.parameters.size() || macro.parameters.empty() ||
                        macro.parameters.back() != "__VA_ARGS__";
      if (tokens[i].is(",") && more) {
        found.emplace_back();
        continue;
      }
      const std::size_t last = opens(tokens[i]) ? behind_bracket(tokens, i) - 1 : i;
      for (; i <= last; ++i) {
        found.back().push_back(tokens[i]);
      }
      --i;
    }
    found.resize(std::max(found.size(), macro.parameters.size()));
    return found;
  }

  static Tokens substituted(const Macro& macro, const std::vector<Tokens>& arguments) {
    const auto argument_of = [&](const Token& token) -> const Tokens* {
      const auto found = std::ranges::find(macro.parameters, token.text);
      return found == macro.parameters.end()
                 ? nullptr
                 : &arguments[static_cast<std::size_t>(found - macro.parameters.begin())];
    };
    Tokens out;
    for (std::size_t i = 0; i < macro.body.size(); ++i) {
      const Token& token = macro.body[i];
      if (token.is("##")) {
        ++i;
        const Tokens* const argument = argument_of(macro.body[i]);
        out.back().text += argument == nullptr ? macro.body[i].text : trimmed(text_of(*argument));
      } else if (token.is("#") && i + 1 < macro.body.size()) {
        ++i;
        out.push_back({TokenKind::kString,
                       "\"" + std::string(trimmed(text_of(*argument_of(macro.body[i])))) + "\"",
                       token.before});
      } else if (const Tokens* const argument = argument_of(token); argument != nullptr) {
        const std::size_t first = out.size();
        out.insert(out.end(), argument->begin(), argument->end());
        if (out.size() > first) {
          out[first].before = token.before;
        }
      } else {
        out.push_back(token);
      }
    }
    return out;
  }

  std::map<std::string, Macro> macros_;
};

}  // namespace

Tokens tokens_of(std::string_view text) {
  Tokens tokens;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t begin = at;
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) {
      ++at;
    }
    if (at == text.size()) {
      break;
    }
    Token token;
    token.before = text.substr(begin, at - begin);
    const std::size_t length = length_of(text, at, begin == 0 || token.starts_line(), token.kind);
    token.text = text.substr(at, length);
    at += length;
    tokens.push_back(token);
  }
  return tokens;
}

std::string text_of(const Tokens& tokens) {
  std::string text;
  for (const Token& token : tokens) {
    text += token.before + token.text;
  }
  return text;
}

void shift_lines(Tokens& tokens, int columns) {
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    Token& token = tokens[i];
    if (token.starts_line() && !(token.kind == TokenKind::kDirective && token.indent() == 0)) {
      const int indent = std::max(0, token.indent() + columns);
      token.before.erase(token.before.rfind('\n') + 1);
      token.before.append(static_cast<std::size_t>(indent), ' ');
    }
  }
}

std::size_t behind_bracket(const Tokens& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (opens(token)) {
      ++depth;
    } else if (token.is(")") || token.is("]") || token.is("}")) {
      if (--depth == 0) {
        return i + 1;
      }
    }
  }
  throw Error(ExitCode::kWrong, "emit: a bracket of a kernel source is not closed");
}

std::size_t behind_angle(const Tokens& tokens, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < tokens.size();) {
    if (opens(tokens[i])) {
      i = behind_bracket(tokens, i);
      continue;
    }
    depth += tokens[i].is("<") ? 1 : tokens[i].is(">") ? -1 : 0;
    ++i;
    if (depth == 0) {
      return i;
    }
  }
  throw Error(ExitCode::kWrong, "emit: no > behind " +
                                    text_of({tokens.begin() + static_cast<std::ptrdiff_t>(open - 1),
                                             tokens.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                                  open + 8, tokens.size()))}));
}

std::size_t behind_template_arguments(const Tokens& tokens, std::size_t at) {
  if (at == 0 || at >= tokens.size() || !tokens[at].is("<") || !tokens[at].before.empty() ||
      tokens[at - 1].kind != TokenKind::kWord) {
    return at;
  }
  int depth = 0;
  for (std::size_t i = at; i < tokens.size(); ++i) {
    const Token& token = tokens[i];
    if (token.is(";") || token.is("{") || token.is(")") || token.is("&&") || token.is("||")) {
      return at;
    }
    if (opens(token)) {
      i = behind_bracket(tokens, i) - 1;
      continue;
    }
    depth += token.is("<") ? 1 : token.is(">") ? -1 : 0;
    if (depth == 0) {
      return i + 1;
    }
  }
  return at;
}

Tokens preprocessed(const Tokens& tokens, const std::vector<std::string>& defined,
                    std::vector<std::string>& includes) {
  Macros macros;
  Tokens out, run;
  std::vector<bool> kept;  // of the conditions around
  int asked = 0;           // conditions that stay
  std::size_t inside = 0;  // of others
  const auto flush = [&] {
    const Tokens expanded = macros.expanded(run, 0);
    out.insert(out.end(), expanded.begin(), expanded.end());
    run.clear();
  };
  const auto all_kept = [&] { return std::ranges::find(kept, false) == kept.end(); };
  for (const Token& token : tokens) {
    if (token.kind != TokenKind::kDirective) {
      if (all_kept()) {
        run.push_back(token);
      }
      continue;
    }
    const std::string_view text = trimmed(std::string_view(token.text).substr(1));
    const std::string_view word = text.substr(0, text.find_first_of(" \t"));
    const std::string_view rest = trimmed(text.substr(word.size()));
    const std::string_view name = rest.substr(0, rest.find_first_of(" \t"));
    const bool known = std::ranges::find(defined, name) != defined.end();
    // Conditions on the architecture stay: only the compiler knows it.
    if ((word == "if" && rest.find("__CUDA_ARCH_FEAT_") != std::string_view::npos) ||
        (word == "endif" && asked > 0 && kept.size() == inside)) {
      asked += word == "if" ? 1 : -1;
      inside = kept.size();
      run.push_back(token);
    } else if (word == "ifdef") {
      kept.push_back(known);
    } else if (word == "ifndef") {
      kept.push_back(!known);
    } else if (word == "if") {
      kept.push_back(true);  // the architecture that the kernel needs
    } else if (word == "else") {
      kept.back() = !kept.back();
    } else if (word == "endif") {
      kept.pop_back();
    } else if (!all_kept() || text == "pragma once") {
      continue;
    } else if (word == "include") {
      if (rest.starts_with('<')) {
        includes.emplace_back(rest);
      }
    } else if (word == "define") {
      flush();
      macros.define(rest);
    } else if (word == "undef") {
      flush();
      macros.forget(std::string(rest));
    } else {
      run.push_back(token);
    }
  }
  flush();
  return out;
}

}  // namespace tilecast
