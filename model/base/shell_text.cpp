#include "model/base/shell_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/base/shown_text.h"

namespace tilecast {
namespace {

constexpr std::string_view kLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

bool has_only(std::string_view text, std::string_view more) {
  return std::ranges::all_of(text, [&](char c) {
    return kLetters.find(c) != std::string_view::npos || more.find(c) != std::string_view::npos;
  });
}

}  // namespace

bool is_plain_shell_word(std::string_view text) {
  // zsh expands a leading = to the path of a command.
  return !text.empty() && text.front() != '=' && has_only(text, "_-./:=,+");
}

std::string shell_word(std::string_view text) {
  refuse_if(text.find('\0') != std::string_view::npos,
            "'{}': a shell word cannot contain a NUL byte", printable(text));
  if (is_plain_shell_word(text)) {
    return std::string(text);
  }
  std::string quoted = "'";
  for (const char c : text) {
    quoted += c == '\'' ? "'\\''" : std::string(1, c);
  }
  return quoted + "'";
}

std::string sbatch_value(std::string_view text) {
  if (std::ranges::any_of(text, [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte < 0x20 || byte == 0x7F || c == '\\';
      })) {
    throw ConfigError(fmt::format(
        "'{}': an #SBATCH line cannot contain control characters or backslashes", printable(text)));
  }
  if (is_plain_shell_word(text)) {
    return std::string(text);
  }
  std::string quoted = "\"";
  for (const char c : text) {
    quoted += c == '"' ? "\\\"" : std::string(1, c);
  }
  return quoted + "\"";
}

std::string sbatch_option(std::string_view option) {
  const std::size_t end = std::min(option.find('='), option.size());
  const std::string_view name = option.substr(0, end);
  refuse_if(!name.starts_with("--") || name.size() == 2 || !has_only(name, "-_"),
            "sbatch option '{}': expected --NAME or --NAME=VALUE", printable(option));
  return end == option.size() ? std::string(name)
                              : fmt::format("{}={}", name, sbatch_value(option.substr(end + 1)));
}

}  // namespace tilecast
