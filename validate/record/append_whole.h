// Adding to the end of a file so that a failure leaves it as it was.
#pragma once

#include <filesystem>
#include <string_view>

namespace tilecast {

/// Writes `bytes` behind the file's end by one write and waits until they are stored. Throws
/// FileError; what was there before stays, and `how_to_repair` says what to do where it could not
/// be cut back to that.
void append_whole(int descriptor, std::string_view bytes, const std::filesystem::path& path,
                  std::string_view how_to_repair);

/// Throws FileError with the system's reason.
[[noreturn]] void fail_file(const std::filesystem::path& path, std::string_view what);

}  // namespace tilecast
