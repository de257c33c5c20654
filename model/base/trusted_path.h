// Checks whether another user could have written the file or folder at a path. For code and numbers
// read from folders that the user did not name: the kernel cache, GPU files near the library. Root
// and this process's user are trusted. Parent folders are not checked. Checked by:
// trusted_path_test.cpp.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace tilecast {

struct Trust {
  /// Also trusts this folder's owner, and its group if the group can write to it.
  std::filesystem::path like = {};
  /// Trust a sticky folder in which everyone can create files, if each file is checked as well.
  bool sticky = false;
};

/// Explains why the folder, or a link to it, is not trusted, in one line with its path. Empty if it
/// is trusted or does not exist.
std::string why_not_trusted(const std::filesystem::path& folder, const Trust& trust);

/// Whether the file or link at the path belongs to this user, root or the owner of `like`.
bool has_trusted_owner(const std::filesystem::path& path, const std::filesystem::path& like);

/// Reads a regular file that belongs to this user or root and that no other user can write. Nothing
/// for links, other files, and files that cannot be read.
std::optional<std::string> read_trusted_file(const std::filesystem::path& path);

}  // namespace tilecast
