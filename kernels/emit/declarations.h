// Splits C++ source, formatted by clang-format, into its declarations.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/emit/source_lines.h"

namespace tilecast {

enum class Kind { kClass, kFunction, kVariable, kType, kMacro, kMember, kDropped };

struct Declaration {
  std::string space, path;  // namespace, and file
  int parent = -1;          // class that it is a member of
  Kind kind = Kind::kVariable;
  std::vector<std::string> names{};
  Lines comment{}, lines{};  // for a class: lines before its members
  std::string end{};         // for a class: its last line
  bool apart = false;        // whether it follows a blank line
  bool kept = false;
};

/// Declarations in source order, and the known values of their constants.
struct Program {
  std::vector<Declaration> all;
  Constants constants;

  const Declaration& parent_of(const Declaration& d) const {
    return all[static_cast<std::size_t>(d.parent)];
  }
};

/// Appends the declarations of `lines` to `to`.
void declare(const Lines& lines, const std::string& path, std::string space, int parent,
             std::vector<Declaration>& to);

Lines lines_of(std::string_view text);
/// Returns the code without comments and quoted strings, each line with its end.
std::string joined_code(std::span<const std::string> lines);
std::string joined_lines(const Lines& lines);
/// Returns the position after the bracket that closes the bracket at `open`.
std::size_t after_closing(std::string_view code, std::size_t open, char opening, char closing);
/// Splits "a, b<c, d>" into its two items.
std::vector<std::string> list_items(std::string_view list);
std::string_view word_before(std::string_view code, std::size_t end);

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

/// Calls `visit(begin, end)` for each occurrence of `name` as a whole word.
void for_each_use(std::string_view code, std::string_view name, const auto& visit) {
  for (std::size_t at = 0; (at = code.find(name, at)) != std::string_view::npos;
       at += name.size()) {
    const std::size_t end = at + name.size();
    if ((at == 0 || !is_word(code[at - 1])) && (end == code.size() || !is_word(code[end]))) {
      visit(at, end);
    }
  }
}

}  // namespace tilecast
