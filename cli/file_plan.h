// Checks the files that a command will read and write before it starts, so that a mistake fails at
// once instead of minutes later, and no output overwrites an input. Checked by: file_plan_test.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilecast {

/// Collects files. An empty path stands for an option that was not given.
class FilePlan {
 public:
  void reads(const std::string& option, const std::filesystem::path& path);
  void reads(const std::string& option, const std::vector<std::string>& paths);

  /// Adds a file that is created or replaced, with the folders it needs.
  void writes(const std::string& option, const std::filesystem::path& path);
  /// Adds a folder in which files are created and replaced, so it must not contain an input.
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

/// Throws a ConfigError if a file exists there that is not to be replaced, or a symbolic link to a
/// file; devices and pipes pass.
void require_new(const std::filesystem::path& path, bool replace);

}  // namespace tilecast
