// Whether others can have put there what stands at a path. For code and numbers that are taken from
// a folder which the user may not have named: the kernel cache, GPU files near the library.
// Root and this process's user are trusted. Parents of a path are not looked at.
// Checked by: trusted_path_test.cpp.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tilecast {

struct Trust {
  /// The folder's owner is trusted too, and its group where that can write it.
  std::filesystem::path like = {};
  /// Whether a sticky folder in which everyone can make files passes: for files that are each
  /// checked.
  bool sticky = false;
};

/// Why the folder, or the link that stands for it, is not trusted, as one line with its path;
/// empty where it is, and where it does not exist.
std::string why_not_trusted(const std::filesystem::path& folder, const Trust& trust);

/// The content of a regular file of this user or root that nobody else can write; nothing for any
/// other, for a link and for a file that cannot be read.
std::optional<std::string> read_trusted_file(const std::filesystem::path& path);

}  // namespace tilecast
