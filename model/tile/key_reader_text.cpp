#include "model/tile/key_reader_text.h"

#include <fmt/format.h>

#include <optional>

#include "model/base/error.h"
#include "model/base/shown_text.h"
#include "model/base/text.h"

namespace tilecast {

KeyReader::KeyReader(std::string_view text) : text_(text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) {
    fail("expected schedule:key=value,...");
  }
  name_ = text.substr(0, colon);
  pairs_ = split(text.substr(colon + 1), ',');
}

std::string_view KeyReader::value(std::string_view key) {
  if (next_ == pairs_.size()) {
    fail(fmt::format("expected {}=... at the end", key));
  }
  const std::string_view pair = pairs_[next_++];
  const std::size_t equals = pair.find('=');
  if (equals == std::string_view::npos || pair.substr(0, equals) != key) {
    fail(fmt::format("expected {}=..., not '{}'", key, pair));
  }
  return pair.substr(equals + 1);
}

bool KeyReader::has(std::string_view key) const {
  return next_ < pairs_.size() && pairs_[next_].substr(0, pairs_[next_].find('=')) == key;
}

i32 KeyReader::number(std::string_view key, i32 least) {
  const std::string_view text = value(key);
  const std::optional<i64> number = parse_integer(text);
  if (!number || *number < least || *number > kMostNumber) {
    fail(
        fmt::format("{}={}: expected a whole number from {} to {}", key, text, least, kMostNumber));
  }
  return static_cast<i32>(*number);
}

std::vector<i32> KeyReader::extents(std::string_view key, std::size_t count, std::string_view form,
                                    i32 most) {
  const std::string_view text = value(key);
  std::vector<i32> extents;
  for (const std::string_view part : split(text, 'x')) {
    const std::optional<i64> extent = parse_integer(part);
    if (part.empty() || part.find_first_not_of("0123456789") != std::string_view::npos) {
      fail(fmt::format("{}={}: expected {}", key, text, form));
    }
    if (!extent || *extent < 1 || *extent > most) {
      fail(fmt::format("{}={}: {} is out of range, expected 1 to {}", key, text, part, most));
    }
    extents.push_back(static_cast<i32>(*extent));
  }
  if (extents.size() != count) {
    fail(fmt::format("{}={}: expected {}", key, text, form));
  }
  return extents;
}

void KeyReader::done() const {
  if (next_ != pairs_.size()) {
    fail(fmt::format("unexpected '{}' at the end", pairs_[next_]));
  }
}

void KeyReader::fail(std::string_view why) const {
  throw ConfigError(on_one_line(fmt::format("configuration '{}': {}", text_, why)));
}

}  // namespace tilecast
