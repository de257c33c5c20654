// Reads "name:key=value,key=value" with keys in a fixed order; every complaint names the whole
// text.
#pragma once

#include <string_view>
#include <vector>

#include "model/base/integers.h"

namespace tilecast {

class KeyReader {
 public:
  static constexpr i32 kMostNumber = 1 << 20;

  /// Throws ConfigError where there is no colon. `text` must outlive the reader.
  explicit KeyReader(std::string_view text);

  std::string_view name() const { return name_; }

  /// Of the next pair, whose key must be this one.
  std::string_view value(std::string_view key);
  i32 number(std::string_view key, i32 least);
  /// Whether the next pair has this key, which may be left out.
  bool has(std::string_view key) const;
  /// "64x128" as `count` positive numbers up to `most`; `form` says so in the complaint.
  std::vector<i32> extents(std::string_view key, std::size_t count, std::string_view form,
                           i32 most = kMostNumber);

  /// Nothing may be left.
  void done() const;
  [[noreturn]] void fail(std::string_view why) const;

 private:
  std::string_view text_, name_;
  std::vector<std::string_view> pairs_;
  std::size_t next_ = 0;
};

}  // namespace tilecast
