// Edits of C++ text, line by line. The sources are formatted by clang-format (Google style, braces
// around every branch), so that indentation gives the end of a branch.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilecast {

using Lines = std::vector<std::string>;
constexpr std::size_t kColumns = 100;  // of a line

std::size_t indent_of(std::string_view line);
/// Without the blanks around it.
std::string_view trimmed(std::string_view line);
/// The line with blanks in place of comments and between quotes.
std::string code_of(std::string_view line);
/// Open brackets less closed ones.
int depth_of(std::string_view code);
bool is_word(char c);

/// The line after the statement or declaration that begins at line `at`.
std::size_t end_of_statement(const Lines& lines, std::size_t at);

/// Values of constants by name: "true", "64", "ElementType::kFp16".
using Constants = std::map<std::string, std::string>;

/// The value of a constant, or a literal or enumerator as it is.
std::optional<std::string> value_of(std::string_view word, const Constants& constants);
/// Whether the condition holds, where `constants` say that.
std::optional<bool> decided(std::string_view condition, const Constants& constants);

/// Removes branches of `if` that `constants` exclude.
Lines with_decided_branches(const Lines& lines, const Constants& constants);

/// The same for `condition ? first : second`.
Lines with_decided_choices(const Lines& lines, const Constants& constants);

/// Removes the template parameter `Config`: the program has a type of that name. Formats the
/// result.
Lines without_template_parameter(const Lines& lines);

}  // namespace tilecast
