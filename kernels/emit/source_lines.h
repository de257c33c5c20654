// Edits C++ source line by line. The sources are formatted by clang-format (Google style, braces
// around every branch), so indentation shows the end of a branch.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilecast {

using Lines = std::vector<std::string>;
constexpr std::size_t kColumns = 100;  // maximum length of a line

std::size_t indent_of(std::string_view line);
/// Returns the line without surrounding blanks.
std::string_view trimmed(std::string_view line);
/// Returns the line with blanks in place of comments and quoted strings.
std::string code_of(std::string_view line);
/// Returns the number of open brackets minus closed ones.
int depth_of(std::string_view code);
bool is_word(char c);

/// Returns the line after the statement or declaration that begins at line `at`.
std::size_t end_of_statement(const Lines& lines, std::size_t at);

/// Values of constants by name: "true", "64", "ElementType::kFp16".
using Constants = std::map<std::string, std::string>;

/// Returns the value of a constant, or a literal or enumerator as it is; std::nullopt if unknown.
std::optional<std::string> value_of(std::string_view word, const Constants& constants);
/// Returns whether the condition holds, if `constants` decide it.
std::optional<bool> decided(std::string_view condition, const Constants& constants);

/// Removes branches of `if` that `constants` exclude.
Lines with_decided_branches(const Lines& lines, const Constants& constants);

/// Resolves `condition ? first : second` if `constants` decide the condition.
Lines with_decided_choices(const Lines& lines, const Constants& constants);

/// Removes the template parameter `Config`: the program has a type of that name. Formats the
/// result.
Lines without_template_parameter(const Lines& lines);

}  // namespace tilecast
