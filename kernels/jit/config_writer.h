// Writes the type `Config`, the template argument of an op's kernels, with one constant per line.
#pragma once

#include <fmt/format.h>

#include <cctype>
#include <string>
#include <string_view>

#include "model/base/element_type.h"
#include "model/base/integers.h"

namespace tilecast {

class ConfigWriter {
 public:
  /// Adds a constant with its initialiser and its description.
  void add(std::string_view type, std::string_view name, std::string_view value,
           std::string_view meaning = "") {
    text_ += fmt::format("  static constexpr {} {} = {};{}{}\n", type, name, value,
                         meaning.empty() ? "" : "  // ", meaning);
  }
  void count(std::string_view name, i64 value, std::string_view meaning = "") {
    add("i32", name, fmt::format("{}", value), meaning);
  }
  void flag(std::string_view name, bool holds, std::string_view meaning = "") {
    add("bool", name, holds ? "true" : "false", meaning);
  }
  void type(std::string_view name, std::string_view is) {
    text_ += fmt::format("  using {} = {};\n", name, is);
  }
  void line(std::string_view text) { text_ += fmt::format("  {}\n", text); }

  /// Returns the definition of `Config`.
  std::string text() const {
    return fmt::format(
        "namespace tilecast {{\n\n/// Compile-time parameters of this kernel.\nstruct Config "
        "{{\n{}}};\n\n"
        "}}  // namespace tilecast\n",
        text_);
  }

 private:
  std::string text_;
};

/// Enumerator of an element type: "ElementType::kFp16".
inline std::string enumerator_of(ElementType type) {
  std::string word(traits_of(type).name);
  word.front() = static_cast<char>(std::toupper(word.front()));
  return "ElementType::k" + word;
}

}  // namespace tilecast
