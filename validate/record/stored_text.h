// Reads data files, plain or gzip-compressed.
#pragma once

#include <filesystem>
#include <string>

namespace tilecast {

constexpr std::size_t kMostUnpacked = std::size_t{1} << 28;  // 256 MiB; a row is below 2 KiB

/// Returns the text without a byte-order mark. Throws FileError if the file cannot be read,
/// ConfigError if its compressed data is damaged, truncated or of an unsupported kind, contains a
/// NUL byte or expands beyond kMostUnpacked bytes.
std::string read_stored_text(const std::filesystem::path& path);

}  // namespace tilecast
