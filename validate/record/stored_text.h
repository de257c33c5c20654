// Reads data files, plain or gzip-compressed, and single gzip members.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tilecast {

constexpr std::size_t kMostUnpacked = std::size_t{1} << 28;  // 256 MiB; a row is below 2 KiB

/// Returns the text without a byte-order mark. Throws FileError if the file cannot be read,
/// ConfigError if its compressed data is damaged, truncated or of an unsupported kind, contains a
/// NUL byte or expands beyond kMostUnpacked bytes.
std::string read_stored_text(const std::filesystem::path& path);

/// Compresses `text` to one gzip member; concatenated members form a gzip file of the concatenated
/// texts.
std::string gzip_member(std::string_view text);

struct GzipMember {
  std::string text;
  std::size_t packed_bytes;
};

/// Returns the member at offset `at` of `packed`. Throws ConfigError `name: ...` if it is
/// incomplete, or expands beyond kMostUnpacked bytes.
GzipMember gunzip_member(std::string_view packed, std::size_t at, std::string_view name);

}  // namespace tilecast
