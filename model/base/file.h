// Reads and writes whole files. A file is written next to its destination and renamed, so that a
// reader never sees half of it and a failed write leaves the old content.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace tilecast {

constexpr std::size_t kMostFileBytes = std::size_t{1} << 28;  // largest file that is read: 256 MiB

/// Reads a file. Throws FileError with the path and the system's reason, also for more than
/// kMostFileBytes.
std::string read_file(const std::filesystem::path& path);

/// Reads a file without its byte-order mark. Throws the exceptions of read_file, and a ConfigError
/// `file:line: ...` for a NUL byte.
std::string read_text(const std::filesystem::path& path);

/// Writes a file, creating missing parent folders. A new file gets the umask's permissions, a
/// replaced one keeps its own. Throws FileError and leaves no partial file.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Writes a file that must not exist yet. Returns false and changes nothing if it exists. If
/// several processes write it at once, exactly one gets true.
bool write_new_file(const std::filesystem::path& path, std::string_view content);

/// Writes a file that only this user can read; a folder created for it is private too. A symbolic
/// link at the path is replaced, not followed.
void write_private_file(const std::filesystem::path& path, std::string_view content);

/// Throws the error that read_file would throw if the file cannot be opened.
void check_readable(const std::filesystem::path& path);

/// Throws the error that write_file would throw if the path is not writable; creates nothing.
void check_writable(const std::filesystem::path& path);

/// Throws the error that write_file would throw if no new file can be written in this folder.
void check_folder_writable(const std::filesystem::path& folder);

}  // namespace tilecast
