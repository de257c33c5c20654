// Appends to a file so that a failure leaves it unchanged.
#pragma once

#include <filesystem>
#include <string_view>

namespace tilecast {

/// Appends `bytes` with one write and waits until they are on disk. Throws FileError after
/// restoring the previous content; if that fails, `how_to_repair` tells the user how to repair the
/// file.
void append_whole(int descriptor, std::string_view bytes, const std::filesystem::path& path,
                  std::string_view how_to_repair);

/// Throws FileError with the system's reason.
[[noreturn]] void fail_file(const std::filesystem::path& path, std::string_view what);

}  // namespace tilecast
