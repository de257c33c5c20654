// The text of a data file, plain or compressed by gzip; and single gzip members.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tilecast {

constexpr std::size_t kMostUnpacked = std::size_t{1} << 28;  // 256 MiB; a row is below 2 KiB

/// Without a byte-order mark. Throws FileError where the file cannot be read, ConfigError where its
/// compressed data is damaged, ends early, is of a kind this program does not read, holds a NUL
/// byte or unpacks to more than kMostUnpacked bytes.
std::string read_stored_text(const std::filesystem::path& path);

/// `text` as one gzip member; members one after the other are a gzip file of their texts.
std::string gzip_member(std::string_view text);

struct GzipMember {
  std::string text;
  std::size_t packed_bytes;
};

/// The member that starts at byte `at` of `packed`. Throws ConfigError `name: ...` where there is
/// no whole one, or it unpacks to more than kMostUnpacked bytes.
GzipMember gunzip_member(std::string_view packed, std::size_t at, std::string_view name);

}  // namespace tilecast
