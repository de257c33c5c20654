// Files of which a part between two lines is generated.
#pragma once

#include <string>

namespace tilecast {

/// One such part, between its markers in a page.
class GeneratedBlock {
 public:
  /// Reads the page. Throws, before the work for it, ConfigError where it has no markers and
  /// FileError where it cannot be read, or written unless `check`.
  GeneratedBlock(std::string path, bool check);

  /// Puts `content` there, under a line that names `command`. With `check` nothing is written, and
  /// a page that would change is an Error with kWrong.
  void update(const std::string& command, const std::string& content) const;

 private:
  std::string path_, text_;
  bool check_;
};

}  // namespace tilecast
