// Whole-file reading and writing. A file is written next to its place and renamed, so that a reader
// never sees half of one and a failed write leaves the old content.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tilecast {

/// Throws FileError with the path and the system's reason.
std::string read_file(const std::filesystem::path& path);

/// The same of a text, without a byte-order mark. Throws ConfigError `file:line: ...` for a NUL
/// byte.
std::string read_text(const std::filesystem::path& path);

/// Creates missing parent folders. A new file has the permissions that the umask leaves, one that
/// is replaced keeps its own. Throws FileError; leaves nothing half-written behind.
void write_file(const std::filesystem::path& path, std::string_view content);

/// The same of a file that must not exist yet. Returns false, and changes nothing, where it exists;
/// of several processes that write it at once, one gets true.
bool write_new_file(const std::filesystem::path& path, std::string_view content);

/// Writes a file that only this user can read, and its folder likewise where it is missing. A link
/// at the path is replaced, not followed.
void write_private_file(const std::filesystem::path& path, std::string_view content);

/// Throws what read_file would, as far as it can be told without reading.
void check_readable(const std::filesystem::path& path);

/// Throws what write_file would, as far as it can be told without the content; leaves nothing
/// there.
void check_writable(const std::filesystem::path& path);

/// The same of a file in this folder.
void check_folder_writable(const std::filesystem::path& folder);

}  // namespace tilecast
