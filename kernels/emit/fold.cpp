#include "kernels/emit/fold.h"

#include <algorithm>
#include <charconv>
#include <functional>

namespace tilecast {
namespace {

Tokens part(const Tokens& tokens, std::size_t begin, std::size_t end) {
  return {tokens.begin() + static_cast<std::ptrdiff_t>(begin),
          tokens.begin() + static_cast<std::ptrdiff_t>(end)};
}

void append(Tokens& to, const Tokens& tokens) { to.insert(to.end(), tokens.begin(), tokens.end()); }

std::optional<long long> number_of(const std::string& text) {
  long long value = 0;
  const bool hex = text.starts_with("0x");
  const char* const begin = text.data() + (hex ? 2 : 0);
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(begin, end, value, hex ? 16 : 10);
  if (error != std::errc{} || std::any_of(rest, end, [](char c) { return c != 'u' && c != 'l'; })) {
    return std::nullopt;
  }
  return value;
}

/// Expressions of constants, by precedence; nothing where a name is unknown.
class Evaluator {
 public:
  Evaluator(const Tokens& tokens, const KnownValues& constants)
      : tokens_(tokens), constants_(constants) {}

  std::optional<KnownValue> value() {
    const std::optional<KnownValue> found = binary(0);
    return at_ == tokens_.size() ? found : std::nullopt;
  }

 private:
  using Number = std::optional<long long>;

  bool take(std::string_view text) {
    const bool found = at_ < tokens_.size() && tokens_[at_].is(text);
    at_ += found ? 1 : 0;
    return found;
  }

  static KnownValue of(long long number) { return {std::to_string(number), number}; }

  std::optional<KnownValue> binary(std::size_t level) {
    static const std::vector<std::vector<std::string_view>> kLevels = {
        {"||"}, {"&&"}, {"==", "!="}, {"<", ">", "<=", ">="}, {"+", "-"}, {"*", "/", "%"}};
    if (level == kLevels.size()) {
      return unary();
    }
    std::optional<KnownValue> left = binary(level + 1);
    while (at_ < tokens_.size()) {
      const auto found = std::ranges::find_if(
          kLevels[level], [&](std::string_view op) { return tokens_[at_].is(op); });
      if (found == kLevels[level].end()) {
        break;
      }
      ++at_;
      left = combined(*found, left, binary(level + 1));
    }
    return left;
  }

  static std::optional<KnownValue> combined(std::string_view op,
                                            const std::optional<KnownValue>& left,
                                            const std::optional<KnownValue>& right) {
    const auto decides = [](const std::optional<KnownValue>& side, bool by) {
      return side && side->number && (*side->number != 0) == by;
    };
    if ((op == "&&" || op == "||") && (decides(left, op == "||") || decides(right, op == "||"))) {
      return of(op == "||" ? 1 : 0);
    }
    if (!left || !right) {
      return std::nullopt;
    }
    if (op == "==" || op == "!=") {
      if (left->number.has_value() != right->number.has_value()) {
        return std::nullopt;
      }
      return of((*left == *right) == (op == "==") ? 1 : 0);
    }
    if (!left->number || !right->number) {
      return std::nullopt;
    }
    const long long a = *left->number, b = *right->number;
    if ((op == "/" || op == "%") && b == 0) {
      return std::nullopt;
    }
    return of(op == "&&"   ? (a != 0 && b != 0 ? 1 : 0)
              : op == "||" ? (a != 0 || b != 0 ? 1 : 0)
              : op == "<"  ? (a < b ? 1 : 0)
              : op == ">"  ? (a > b ? 1 : 0)
              : op == "<=" ? (a <= b ? 1 : 0)
              : op == ">=" ? (a >= b ? 1 : 0)
              : op == "+"  ? a + b
              : op == "-"  ? a - b
              : op == "*"  ? a * b
              : op == "/"  ? a / b
                           : a % b);
  }

  std::optional<KnownValue> unary() {
    if (take("!")) {
      const std::optional<KnownValue> value = unary();
      return value && value->number ? std::optional(of(*value->number == 0 ? 1 : 0)) : std::nullopt;
    }
    if (take("-")) {
      const std::optional<KnownValue> value = unary();
      return value && value->number ? std::optional(of(-*value->number)) : std::nullopt;
    }
    if (take("(")) {
      const std::optional<KnownValue> value = binary(0);
      return take(")") ? value : std::nullopt;
    }
    return primary();
  }

  std::optional<KnownValue> primary() {
    if (at_ == tokens_.size()) {
      return std::nullopt;
    }
    const Token& token = tokens_[at_];
    if (token.kind == TokenKind::kNumber) {
      ++at_;
      const Number number = number_of(token.text);
      return number ? std::optional(KnownValue{token.text, number}) : std::nullopt;
    }
    if (token.kind != TokenKind::kWord) {
      ++at_;
      return std::nullopt;
    }
    std::string name = token.text;
    ++at_;
    while (at_ + 1 < tokens_.size() && (tokens_[at_].is("::") || tokens_[at_].is("."))) {
      name += tokens_[at_].text + tokens_[at_ + 1].text;
      at_ += 2;
    }
    if (at_ < tokens_.size() && opens(tokens_[at_])) {
      at_ = behind_bracket(tokens_, at_);  // a call
      return std::nullopt;
    }
    if (name == "nullptr") {
      return constant_of(name);
    }
    if (name == "true" || name == "false") {
      return of(name == "true" ? 1 : 0);
    }
    const auto found = constants_.find(name);
    if (found != constants_.end()) {
      return found->second;
    }
    return std::nullopt;
  }

  const Tokens& tokens_;
  const KnownValues& constants_;
  std::size_t at_ = 0;
};

bool ends_segment(const Token& token) {
  static const std::set<std::string_view> kEnds = {
      ",", ";", "=", "+=", "-=", "*=", "/=", "&=", "|=", "^=", "%=", ":", "return"};
  return token.kind != TokenKind::kString && kEnds.contains(token.text);
}

/// A function's statements.
class Folder {
 public:
  /// `{ ... }`, or statements without brackets around them.
  Tokens block(const Tokens& in, std::size_t begin, std::size_t end, KnownValues constants) {
    Tokens out;
    std::size_t at = begin;
    bool ended = false;
    while (at < end) {
      const std::size_t from = at;
      const Tokens one = statement(in, at, end, constants, true, ended);
      append(out, one);
      if (at == from) {
        break;
      }
      if (ended) {  // up to the next label of a switch
        while (at < end && !in[at].is("case") && !in[at].is("default")) {
          at = opens(in[at]) ? behind_bracket(in, at) : at + 1;
        }
        ended = false;
      }
    }
    return out;
  }

  /// Parts between commas, assignments and the like.
  Tokens expression(const Tokens& in, std::size_t begin, std::size_t end,
                    const KnownValues& constants) {
    Tokens out;
    std::size_t from = begin;
    int questions = 0;
    for (std::size_t i = begin; i <= end; ++i) {
      if (i < end && opens(in[i])) {
        i = behind_bracket(in, i) - 1;
        continue;
      }
      if (const std::size_t behind = behind_template_arguments(in, i);
          behind > i && behind <= end) {
        i = behind - 1;
        continue;
      }
      questions += i < end && in[i].is("?") ? 1 : 0;
      if (i < end && in[i].is(":") && questions > 0) {
        --questions;
        continue;
      }
      if (i == end || ends_segment(in[i])) {
        append(out, segment(in, from, i, constants));
        if (i < end) {
          out.push_back(in[i]);
        }
        from = i + 1;
        questions = 0;
      }
    }
    return out;
  }

 private:
  const Token* place_ = nullptr;

  std::optional<bool> decided(const Tokens& in, std::size_t begin, std::size_t end,
                              const KnownValues& constants) const {
    const std::optional<KnownValue> value = value_of(part(in, begin, end), constants);
    return value && value->number ? std::optional(*value->number != 0) : std::nullopt;
  }

  /// Brackets inside, folded.
  Tokens leaf(const Tokens& in, std::size_t begin, std::size_t end, const KnownValues& constants) {
    Tokens out;
    for (std::size_t i = begin; i < end; ++i) {
      out.push_back(in[i]);
      if (!opens(in[i])) {
        continue;
      }
      const std::size_t close = behind_bracket(in, i) - 1;
      if (in[i].is("{") && i > begin && (in[i - 1].is(")") || in[i - 1].is("]"))) {
        append(out, block(in, i + 1, close, constants));  // a lambda's body
      } else if (in[i].is("[")) {
        Tokens index = expression(in, i + 1, close, constants);
        const std::optional<KnownValue> value =
            std::ranges::all_of(
                index, [](const Token& t) { return t.is("+") || t.kind == TokenKind::kNumber; })
                ? value_of(index, constants)
                : std::nullopt;
        if (value && !index.empty()) {
          index = {{TokenKind::kNumber, std::to_string(*value->number), ""}};
        }
        append(out, index);
      } else {
        const Tokens inner = expression(in, i + 1, close, constants);
        if (inner.size() == 1 && inner[0].is("0") && out.size() > 1 &&
            out[out.size() - 2].is("+")) {
          out.resize(out.size() - 2);
          i = close;
          continue;
        }
        append(out, inner);
      }
      out.push_back(in[close]);
      i = close;
    }
    return out;
  }

  std::vector<std::size_t> find(const Tokens& in, std::size_t begin, std::size_t end,
                                std::string_view op) const {
    std::vector<std::size_t> found;
    for (std::size_t i = begin; i < end; ++i) {
      if (opens(in[i])) {
        i = behind_bracket(in, i) - 1;
      } else if (const std::size_t behind = behind_template_arguments(in, i); behind > i) {
        i = behind - 1;
      } else if (in[i].is(op)) {
        found.push_back(i);
      }
    }
    return found;
  }

  Tokens segment(const Tokens& in, std::size_t begin, std::size_t end,
                 const KnownValues& constants) {
    const std::vector<std::size_t> questions = find(in, begin, end, "?");
    if (!questions.empty()) {
      const std::size_t question = questions.front();
      std::size_t colon = question + 1;
      for (int depth = 1;; ++colon) {
        if (opens(in[colon])) {
          colon = behind_bracket(in, colon) - 1;
          continue;
        }
        if (const std::size_t behind = behind_template_arguments(in, colon); behind > colon) {
          colon = behind - 1;
          continue;
        }
        depth += in[colon].is("?") ? 1 : in[colon].is(":") ? -1 : 0;
        if (depth == 0) {
          break;
        }
      }
      if (const std::optional<bool> first = decided(in, begin, question, constants)) {
        Tokens kept = *first ? segment(in, question + 1, colon, constants)
                             : segment(in, colon + 1, end, constants);
        if (!kept.empty()) {
          kept.front().before = in[begin].before;
        }
        return kept;
      }
      Tokens out = logic(in, begin, question, constants);
      out.push_back(in[question]);
      append(out, segment(in, question + 1, colon, constants));
      out.push_back(in[colon]);
      append(out, segment(in, colon + 1, end, constants));
      return out;
    }
    return logic(in, begin, end, constants);
  }

 public:
  /// Operands of || and && that are decided go; all of it may be, then it is true or false.
  Tokens logic(const Tokens& in, std::size_t begin, std::size_t end, const KnownValues& constants) {
    for (const std::string_view op : {"||", "&&"}) {
      const std::vector<std::size_t> places = find(in, begin, end, op);
      if (places.empty()) {
        continue;
      }
      if (const std::optional<bool> all = decided(in, begin, end, constants)) {
        return {{TokenKind::kWord, *all ? "true" : "false", in[begin].before}};
      }
      Tokens out;
      std::size_t from = begin;
      for (std::size_t i = 0; i <= places.size(); ++i) {
        const std::size_t to = i < places.size() ? places[i] : end;
        if (!decided(in, from, to, constants)) {
          Tokens operand = logic(in, from, to, constants);
          if (out.empty()) {
            operand.front().before = in[begin].before;
          } else {
            out.push_back({TokenKind::kPunctuation, std::string(op), " "});
          }
          append(out, operand);
        }
        from = to + 1;
      }
      return out;
    }
    return leaf(in, begin, end, constants);
  }

 private:
  /// A statement, with the comments before it and after it in its line; empty where it goes.
  /// `in_list`: among others, so that it may become several. `ended`: nothing after it is reached.
  Tokens statement(const Tokens& in, std::size_t& at, std::size_t end, KnownValues& constants,
                   bool in_list, bool& ended) {
    Tokens lead;
    while (at < end &&
           (in[at].kind == TokenKind::kComment || in[at].kind == TokenKind::kDirective)) {
      lead.push_back(in[at++]);
    }
    if (at == end) {
      return lead;
    }
    const std::size_t begin = at;
    Tokens out;
    if (in[at].is("{")) {
      const std::size_t close = behind_bracket(in, at) - 1;
      out.push_back(in[at]);
      append(out, block(in, at + 1, close, constants));
      out.push_back(in[close]);
      at = close + 1;
    } else if (in[at].is("if")) {
      out = condition(in, at, end, constants, in_list, ended);
    } else if (in[at].is("for") || in[at].is("while") || in[at].is("switch")) {
      const std::size_t open = at + 1, close = behind_bracket(in, open);
      append(out, part(in, at, open + 1));
      append(out, expression(in, open + 1, close - 1, constants));
      out.push_back(in[close - 1]);
      at = close;
      bool inside = false;
      const Tokens body = statement(in, at, end, constants, false, inside);
      if (body.empty() || (body.size() == 2 && in[begin].is("for"))) {
        out.clear();
      } else {
        append(out, body);
      }
    } else if (in[at].is("case") || in[at].is("default")) {
      while (!in[at].is(":")) {
        out.push_back(in[at++]);
      }
      out.push_back(in[at++]);
    } else {
      std::size_t stop = at;
      while (stop < end && !in[stop].is(";")) {
        stop = opens(in[stop]) ? behind_bracket(in, stop) : stop + 1;
      }
      at = std::min(stop + 1, end);
      const Tokens whole = part(in, begin, at);
      if (in[begin].is("static_assert")) {
        if (!decided(in, begin + 2,
                     find(in, begin + 2, at - 2, ",").empty()
                         ? at - 2
                         : find(in, begin + 2, at - 2, ",").back(),
                     constants)) {
          out = whole;
        }
      } else {
        out = expression(in, begin, at, constants);
        learn_constants(out, "", constants);
        ended = in[begin].is("return");
      }
    }
    Tokens behind;
    while (at < end && in[at].kind == TokenKind::kComment && !in[at].starts_line()) {
      behind.push_back(in[at++]);
    }
    if (out.empty()) {
      return {};
    }
    Tokens all = lead;
    append(all, out);
    append(all, behind);
    return all;
  }

  Tokens condition(const Tokens& in, std::size_t& at, std::size_t end, KnownValues& constants,
                   bool in_list, bool& ended) {
    const std::size_t begin = at;
    const Token& first = place_ != nullptr ? *place_ : in[begin];  // of a chain of else if
    place_ = nullptr;
    const std::size_t open = at + (in[at + 1].is("constexpr") ? 2 : 1);
    const std::size_t close = behind_bracket(in, open) - 1;
    const std::size_t then_begin = close + 1;
    const std::optional<bool> known = decided(in, open + 1, close, constants);
    at = then_begin;
    bool then_ended = false, else_ended = false;
    Tokens then = statement(in, at, end, constants, false, then_ended);
    const bool has_else = at < end && in[at].is("else");
    const Token otherwise = has_else ? in[at] : Token{};
    Tokens rest;
    bool chained = false;
    if (has_else) {
      ++at;
      chained = in[at].is("if");
      place_ = chained && known ? &first : nullptr;
      rest = statement(in, at, end, constants, in_list && known.has_value(), else_ended);
    }
    if (known) {
      Tokens kept = *known ? then : rest;
      ended = *known ? then_ended : else_ended;
      if (kept.empty()) {
        return {};
      }
      if (in_list && !(chained && !*known)) {
        if (kept.front().is("{")) {
          kept = Tokens(kept.begin() + 1, kept.end() - 1);
        }
        ended = ended || ends(kept);
        return in_place_of(first, kept);
      }
      if (kept.front().is("if") || !in_list) {
        kept.front().before = first.before;
      }
      return kept;
    }
    const bool nothing_else = rest.empty() || (rest.size() == 2 && rest.front().is("{"));
    if ((then.empty() || then.size() == 2) && nothing_else) {
      return {};
    }
    Tokens out = part(in, begin, open + 1);
    append(out, logic(in, open + 1, close, constants));
    out.push_back(in[close]);
    append(out, then.empty() ? Tokens{{TokenKind::kPunctuation, "{", " "},
                                      {TokenKind::kPunctuation, "}", ""}}
                             : then);
    if (has_else && !nothing_else) {
      out.push_back(otherwise);
      append(out, rest);
    }
    return out;
  }

  /// Whether statements end in a return.
  static bool ends(const Tokens& statements) {
    std::size_t last = 0;
    for (std::size_t i = 0; i < statements.size();) {
      if (opens(statements[i])) {
        i = behind_bracket(statements, i);
        continue;
      }
      if (statements[i].is("return")) {
        last = i + 1;
      }
      if (statements[i].is("if") || statements[i].is("for") || statements[i].is("while")) {
        last = 0;
      }
      ++i;
    }
    return last > 0;
  }

  static Tokens in_place_of(const Token& first, Tokens statements) {
    if (statements.empty()) {
      return statements;
    }
    const auto in_column_0 = [](const Token& t) {
      return t.kind == TokenKind::kDirective && t.indent() == 0;
    };
    const auto line = std::ranges::find_if(
        statements, [&](const Token& t) { return t.starts_line() && !in_column_0(t); });
    const bool directive = in_column_0(statements.front());
    if (line == statements.begin() || line == statements.end() || directive) {
      const int by = line == statements.end() ? -2 : first.indent() - line->indent();
      shift_lines(statements, by);
    }
    statements.front().before = directive ? "\n" : first.before;
    return statements;
  }
};

}  // namespace

KnownValue constant_of(const std::string& text) { return {text, number_of(text)}; }

std::optional<KnownValue> value_of(const Tokens& expression, const KnownValues& constants) {
  return Evaluator(expression, constants).value();
}

void learn_constants(const Tokens& declaration, const std::string& prefix, KnownValues& constants) {
  const auto is_constant = std::ranges::find_if(
      declaration, [](const Token& t) { return t.is("constexpr") || t.is("const"); });
  const auto equals = std::ranges::find_if(declaration, [](const Token& t) { return t.is("="); });
  const bool brackets =
      std::any_of(declaration.begin(), equals, [](const Token& t) { return opens(t); });
  if (is_constant == declaration.end() || is_constant > equals || brackets) {
    return;
  }
  if (equals == declaration.end()) {  // T name{.member = value, ...};
    return;
  }
  const std::string name = prefix + std::prev(equals)->text;
  Tokens value;
  int depth = 0;
  for (auto t = equals + 1; t != declaration.end() && !(depth == 0 && (t->is(";") || t->is(",")));
       ++t) {
    depth += opens(*t) ? 1 : t->is(")") || t->is("]") || t->is("}") ? -1 : 0;
    if (t->kind != TokenKind::kComment) {
      value.push_back(*t);
    }
  }
  if (!value.empty() && value.front().is("{")) {
    for (std::size_t i = 1; i + 3 < value.size(); ++i) {
      if (value[i].is(".") && value[i + 2].is("=")) {
        std::size_t stop = i + 3;
        while (!value[stop].is(",") && !value[stop].is("}")) {
          ++stop;
        }
        if (const auto v = value_of(part(value, i + 3, stop), constants)) {
          constants[name + "." + value[i + 1].text] = *v;
        }
      }
    }
  } else if (const auto v = value_of(value, constants)) {
    constants[name] = *v;
  } else {
    constants.erase(name);
  }
}

Tokens folded(const Tokens& tokens, const KnownValues& constants) {
  Folder folder;
  // A function's body is its last brackets; the text before them, and other declarations, have
  // expressions alone.
  if (!tokens.empty() && tokens.back().is("}")) {
    std::size_t open = 0;
    for (std::size_t i = 0; i < tokens.size();) {
      if (opens(tokens[i])) {
        open = i;
        i = behind_bracket(tokens, i);
      } else {
        ++i;
      }
    }
    Tokens out = part(tokens, 0, open + 1);
    append(out, folder.block(tokens, open + 1, tokens.size() - 1, constants));
    out.push_back(tokens.back());
    return out;
  }
  return folder.expression(tokens, 0, tokens.size(), constants);
}

std::size_t count_arguments(const Tokens& tokens, std::size_t open) {
  const std::size_t close = behind_bracket(tokens, open) - 1;
  std::size_t count = close > open + 1 ? 1 : 0;
  for (std::size_t i = open + 1; i < close; ++i) {
    if (opens(tokens[i])) {
      i = behind_bracket(tokens, i) - 1;
    } else if (const std::size_t behind = behind_template_arguments(tokens, i); behind > i) {
      i = behind - 1;
    } else {
      count += tokens[i].is(",") ? 1 : 0;
    }
  }
  return count;
}

namespace {

/// Calls `keep` with each simple statement of a body; drops those that it refuses, with the
/// comments before them.
Tokens filtered(const Tokens& in, const std::function<bool(const Tokens&)>& keeps) {
  Tokens out;
  std::size_t begin = 0;  // of the statement
  int parentheses = 0;
  std::size_t lead = 0;
  const auto flush = [&](std::size_t end) {
    append(out, part(in, lead, end));
    lead = begin = end;
  };
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Token& token = in[i];
    if (i == begin && (token.kind == TokenKind::kComment || token.kind == TokenKind::kDirective)) {
      begin = i + 1;
      if (token.kind == TokenKind::kComment && !token.starts_line()) {
        flush(i + 1);
      }
      continue;
    }
    if (token.is("(") || token.is("[")) {
      ++parentheses;
    } else if (token.is(")") || token.is("]")) {
      --parentheses;
    }
    if (parentheses == 0 && token.is("{") && i > 0 && !in[i - 1].is("=") &&
        (in[i - 1].is(")") || in[i - 1].is("else") || in[i - 1].is("const") || i == begin)) {
      flush(i + 1);
    } else if (parentheses == 0 && token.is("}") && i == begin) {
      flush(i + 1);
    } else if (parentheses == 0 && token.is("{")) {
      i = behind_bracket(in, i) - 1;
    } else if (parentheses == 0 && token.is(";")) {
      if (!keeps(part(in, begin, i + 1))) {
        lead = begin = i + 1;
        while (lead < in.size() && in[lead].kind == TokenKind::kComment &&
               !in[lead].starts_line()) {
          lead = begin = lead + 1;
          i = lead - 1;
        }
      } else {
        flush(i + 1);
      }
    }
  }
  flush(in.size());
  return out;
}

}  // namespace

namespace {

bool begins_a_name(const std::map<std::string, Tokens>& values, const std::string& name) {
  const auto found = values.lower_bound(name + "/");
  return found != values.end() && found->first.starts_with(name + "/");
}

}  // namespace

Tokens with_values(const Tokens& body, const std::map<std::string, Tokens>& values) {
  Tokens out;
  for (std::size_t i = 0; i < body.size(); ++i) {
    const Token& token = body[i];
    std::size_t open = i + 1;
    const bool named = token.kind == TokenKind::kWord && begins_a_name(values, token.text);
    if (named) {
      open = behind_template_arguments(body, open);
    }
    const auto found =
        named && open < body.size() && body[open].is("(")
            ? values.find(token.text + "/" + std::to_string(count_arguments(body, open)))
            : values.end();
    std::size_t begin = out.size();  // of the object whose member it is
    while (begin > 1 && (out[begin - 1].is(".") || out[begin - 1].is("->"))) {
      begin -= 2;
    }
    const bool declares = begin == out.size() && begin > 0 && !out[begin - 1].is("return") &&
                          (out[begin - 1].kind == TokenKind::kWord || out[begin - 1].is("&") ||
                           out[begin - 1].is("*"));
    if (found == values.end() || declares || begin == 0) {
      out.push_back(token);
      continue;
    }
    const std::size_t end = behind_bracket(body, open);
    Tokens value = found->second;
    const bool of_args = value.size() > 1;  // a member of the arguments, `args` in every function
    const bool number = value.front().kind == TokenKind::kNumber;
    const bool adds = out[begin - 1].is("+") || out[begin - 1].is("-");
    // A number takes the place of a whole argument, initialiser or addend alone.
    const Token& before = out[begin - 1];
    const bool whole =
        (before.is("=") || before.is(",") || before.is("(") || before.is("{") ||
         before.is("return") || (adds && value.front().is("0"))) &&
        (body[end].is(",") || body[end].is(")") || body[end].is(";") || body[end].is("}"));
    if ((number && !whole) || (of_args && !body[open + 1].is("args"))) {
      out.push_back(token);
      continue;
    }
    value.front().before = begin < out.size() ? out[begin].before : token.before;
    out.resize(begin);
    if (number && adds) {
      out.pop_back();
    } else {
      append(out, value);
    }
    i = end - 1;
  }
  return out;
}

Tokens without_calls(const Tokens& body, const std::set<std::string>& empty) {
  return filtered(body, [&](const Tokens& s) {
    if (const std::size_t brace = behind_template_arguments(s, 1);
        s.size() == brace + 3 && s[brace].is("{") && empty.contains(s[0].text + "{}")) {
      return false;
    }
    if (s.size() < 4 || s.front().kind != TokenKind::kWord || s.front().is("return") ||
        !s[s.size() - 2].is(")")) {
      return true;
    }
    std::size_t name = 0, open = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (s[i].is("=") || s[i].is("--")) {
        return true;
      }
      if (const std::size_t behind = behind_template_arguments(s, i); behind > i) {
        i = behind - 1;
        continue;
      }
      if (opens(s[i])) {
        open = i;
        if (behind_bracket(s, i) != s.size() - 1) {
          return true;
        }
        break;
      }
      name = s[i].kind == TokenKind::kWord ? i : name;
      if (i > 0 && s[i].kind == TokenKind::kWord && s[i - 1].kind == TokenKind::kWord) {
        return true;  // a declaration
      }
    }
    const auto counts = std::ranges::find_if(s, [](const Token& t) { return t.is("++"); });
    if (counts != s.end() &&  // a name that nothing else reads
        std::ranges::count(body, std::prev(counts)->text, &Token::text) > 2) {
      return true;
    }
    return open == 0 ||
           !empty.contains(s[name].text + "/" + std::to_string(count_arguments(s, open)));
  });
}

Tokens without_unused(Tokens body) {
  const std::size_t open = static_cast<std::size_t>(
      std::ranges::find_if(body, [](const Token& t) { return t.is("{"); }) - body.begin());
  if (open == body.size()) {
    return body;
  }
  while (true) {
    std::map<std::string, int> uses;
    for (std::size_t i = 0; i < body.size(); ++i) {
      const bool member = i > 0 && (body[i - 1].is(".") || body[i - 1].is("->"));
      uses[body[i].text] += body[i].kind == TokenKind::kWord && !member ? 1 : 0;
    }
    const std::size_t before = body.size();
    body = filtered(body, [&](const Tokens& s) {
      std::size_t name = 0, i = 0;
      for (; i < s.size() && !s[i].is("=") && !opens(s[i]) && !s[i].is(";") && !s[i].is(","); ++i) {
        if (const std::size_t behind = behind_template_arguments(s, i); behind > i) {
          i = behind - 1;
        } else if (s[i].kind == TokenKind::kWord) {
          name = i;
        }
      }
      const bool simple = i < s.size() && i == name + 1 &&
                          (s[i].is("=") || s[i].is(";") || s[i].is("{") || s[i].is("("));
      const bool declares =
          name > 0 && (s[name - 1].kind == TokenKind::kWord || s[name - 1].is(">") ||
                       (name > 1 && (s[name - 1].is("&") || s[name - 1].is("*"))));
      return !(simple && declares && uses[s[name].text] == 1 && !s.front().is("return") &&
               !s.front().is("extern") && !s.front().is("asm"));
    });
    if (body.size() == before) {
      return body;
    }
  }
}

Tokens without_unread_names(const Tokens& function) {
  Tokens out = function;
  std::size_t open = 0;
  while (open < out.size() &&
         !(out[open].is("(") && open > 0 && out[open - 1].kind == TokenKind::kWord &&
           !out[open - 1].is("__launch_bounds__") && !out[open - 1].is("__align__"))) {
    open = out[open].is("<") && open > 0 ? behind_angle(out, open) : open + 1;
  }
  if (open >= out.size()) {
    return out;
  }
  for (std::size_t i = behind_bracket(out, open) - 1; i > open + 2; --i) {
    const bool ends = out[i].is(",") || out[i].is(")");
    const Token& name = out[i - 1];
    const Token& type = out[i - 2];
    const bool named =
        ends && name.kind == TokenKind::kWord && !name.before.empty() && !type.is("(") &&
        !type.is(",") && !type.is("const") &&
        (type.kind == TokenKind::kWord || type.is("&") || type.is("*") || type.is(">"));
    if (named && std::ranges::count(out, name.text, &Token::text) == 1) {
      out.erase(out.begin() + static_cast<std::ptrdiff_t>(i - 1));
    }
  }
  return out;
}

}  // namespace tilecast
