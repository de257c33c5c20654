// The text of a data file, plain or compressed by gzip.
#pragma once

#include <filesystem>
#include <string>

namespace tilecast {

/// Throws FileError where the file cannot be read, ConfigError where its compressed data is
/// damaged, ends early or is of a kind this program does not read.
std::string read_stored_text(const std::filesystem::path& path);

}  // namespace tilecast
