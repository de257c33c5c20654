// Which layer of the tree may include which: the layout of README.md as a table.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tilecast {

/// Violations of the include rules in one source file, one line each: `path:line: why`. `path` is
/// relative to the root of the tree.
std::vector<std::string> include_violations(std::string_view path, std::string_view content);

/// The header that a source implements or tests, by its name: X.h for X.cpp and X_test.cpp; empty
/// for other files.
std::string own_header(std::string_view path);

/// The target of the first include line; empty if there is none.
std::string first_include(std::string_view content);

/// The C++ and CUDA sources under the layers' folders, relative to `root`, in order.
std::vector<std::filesystem::path> source_files(const std::filesystem::path& root);

}  // namespace tilecast
