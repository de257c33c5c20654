// C++ text as tokens that keep their white space, so that what is left of a source when parts of it
// go reads as it was written.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tilecast {

enum class TokenKind { kWord, kNumber, kString, kPunctuation, kComment, kDirective };

struct Token {
  TokenKind kind;
  std::string text;
  std::string before;  // white space

  bool is(std::string_view t) const { return text == t && kind != TokenKind::kString; }
  bool starts_line() const { return before.find('\n') != std::string::npos; }
  /// Columns before the first token of a line.
  int indent() const { return static_cast<int>(before.size() - before.rfind('\n') - 1); }
};

using Tokens = std::vector<Token>;

Tokens tokens_of(std::string_view text);
std::string text_of(const Tokens& tokens);

/// Moves every line but the first by that number of columns; directives in column 0 stay there.
void shift_lines(Tokens& tokens, int columns);

/// After the token that closes the bracket at `open`, one of ( [ {.
std::size_t behind_bracket(const Tokens& tokens, std::size_t open);
/// After the > of the < at `open`.
std::size_t behind_angle(const Tokens& tokens, std::size_t open);
/// After the template arguments that begin at `at`; `at` where none do.
std::size_t behind_template_arguments(const Tokens& tokens, std::size_t at);
inline bool opens(const Token& token) { return token.is("(") || token.is("[") || token.is("{"); }

/// The text with its conditions decided and its macros in place of their names. `defined`: names
/// that #ifdef finds. Includes of the toolkit go to `includes`, quoted ones and #pragma once
/// nowhere.
Tokens preprocessed(const Tokens& tokens, const std::vector<std::string>& defined,
                    std::vector<std::string>& includes);

}  // namespace tilecast
