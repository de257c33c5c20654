#include "model/base/shown_text.h"

#include <algorithm>
#include <utility>

#include "model/base/error.h"
#include "model/base/text.h"

namespace tilecast {
namespace {

/// Length in bytes of the UTF-8 character at the start of `text`; 0 if it is not valid (RFC 3629:
/// no overlong form, no surrogate, at most U+10FFFF).
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  const unsigned first = byte(0), second = byte(1);
  if (first < 0x80) {
    return 1;
  }
  if (first >= 0xc2 && first <= 0xdf) {
    return continues(1) ? 2 : 0;
  }
  if (first >= 0xe0 && first <= 0xef) {
    const bool in_range = !(first == 0xe0 && second < 0xa0) && !(first == 0xed && second > 0x9f);
    return in_range && continues(1) && continues(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool in_range = !(first == 0xf0 && second < 0x90) && !(first == 0xf4 && second > 0x8f);
    return in_range && continues(1) && continues(2) && continues(3) ? 4 : 0;
  }
  return 0;
}

/// Ranges of characters that control a terminal or are invisible: C0, DEL, C1, Unicode's format
/// characters (category Cf), which change the writing direction or have no width, and line and
/// paragraph separators.
constexpr std::pair<unsigned, unsigned> kUnseen[] = {
    {0x00, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},      {0x61c, 0x61c},
    {0x180e, 0x180e}, {0x200b, 0x200f}, {0x2028, 0x202e},  {0x2060, 0x206f},
    {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f}};

/// `character` is one valid UTF-8 character.
bool is_control(std::string_view character) {
  constexpr unsigned kContinued = 0x3f;
  auto code = static_cast<unsigned>(static_cast<unsigned char>(character[0]));
  if (character.size() > 1) {
    code &= 0x7fu >> character.size();
    for (const char c : character.substr(1)) {
      code = code << 6 | (static_cast<unsigned char>(c) & kContinued);
    }
  }
  return std::ranges::any_of(
      kUnseen, [&](const auto& range) { return code >= range.first && code <= range.second; });
}

}  // namespace

std::string counted(std::size_t count, std::string_view word, std::string_view plural) {
  std::string text = std::to_string(count) + " ";
  if (count == 1 || plural.empty()) {
    return text.append(word).append(count == 1 ? "" : "s");
  }
  return text.append(plural);
}

std::string with_commas(long long number) {
  std::string text = std::to_string(number);
  const std::size_t first = number < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) {
    at -= 3;
    text.insert(at, ",");
  }
  return text;
}

std::string_view without_bom(std::string_view text) {
  constexpr std::string_view kBom = "\xef\xbb\xbf";
  return text.starts_with(kBom) ? text.substr(kBom.size()) : text;
}

void refuse_nul(std::string_view text, const std::string& name) {
  if (const std::size_t at = text.find('\0'); at != std::string_view::npos) {
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    throw ConfigError(name + ":" + std::to_string(line) +
                      ": expected text, found a NUL byte (\\x00)");
  }
}

std::string escaped(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string shown;
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(1, length));
    if (character == "\n" || (length > 0 && !is_control(character))) {
      shown += character;
    } else {
      for (const char c : character) {
        const auto byte = static_cast<unsigned char>(c);
        shown += {'\\', 'x', kDigits[byte / 16], kDigits[byte % 16]};
      }
    }
    text.remove_prefix(character.size());
  }
  return shown;
}

std::string on_one_line(std::string_view text) {
  std::string shown;
  for (const std::string_view line : split(text, '\n')) {
    shown += (line.data() == text.data() ? "" : "\\n") + escaped(line);
  }
  return shown;
}

std::string printable(std::string_view text) {
  constexpr std::size_t kMost = 60;
  std::size_t end = std::min(kMost, text.size());
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) {
    --end;  // do not cut inside a character
  }
  const std::string shown = on_one_line(text.substr(0, end));
  return end < text.size() ? shown + "..." : shown;
}

std::string message_line(std::string_view text) {
  constexpr std::size_t kAtEachEnd = 1000;
  text = text.substr(0, text.find_last_not_of('\n') + 1);
  std::string cut(text);
  if (text.size() > 2 * kAtEachEnd) {
    cut.replace(kAtEachEnd, text.size() - 2 * kAtEachEnd, " ... ");
  }
  std::vector<std::string> lines;
  for (const std::string_view line : split(cut, '\n')) {
    lines.push_back(escaped(line));
  }
  return join(lines, "; ");
}

}  // namespace tilecast
