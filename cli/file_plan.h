// The files that a command will read and write, tried before its work: a mistake is then an error
// at once and not after minutes, and no output replaces an input.
// Checked by: file_plan_test.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilecast {

/// An empty path stands for an option that was not given.
class FilePlan {
 public:
  void reads(const std::string& option, const std::filesystem::path& path);
  void reads(const std::string& option, const std::vector<std::string>& paths);

  /// Created or replaced, with the folders it needs.
  void writes(const std::string& option, const std::filesystem::path& path);
  /// Files are created and replaced in it, so it must not contain an input.
  void writes_folder(const std::string& option, const std::filesystem::path& path);

  /// Throws FileError for a file that cannot be read or written, ConfigError for files that
  /// collide.
  void check() const;

 private:
  struct Use {
    std::string option;
    std::filesystem::path path;
  };
  std::vector<Use> reads_, writes_, folders_;
};

}  // namespace tilecast
