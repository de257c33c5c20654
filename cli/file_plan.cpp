#include "cli/file_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "model/base/file.h"

namespace tilecast {
namespace {

namespace fs = std::filesystem;

/// Returns a path that is equal for equal locations, whether a file exists or not.
fs::path place_of(const fs::path& path) {
  std::error_code unknown;
  fs::path place = fs::weakly_canonical(fs::absolute(path, unknown), unknown);
  return place.has_filename() ? place : place.parent_path();  // removes the end of "folder/"
}

bool lies_in(const fs::path& path, const fs::path& folder) {
  const fs::path inner = place_of(path), outer = place_of(folder);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

/// Devices and pipes cannot be replaced: output is passed on, and input is read once.
bool is_replaceable(const fs::path& path) {
  std::error_code unknown;
  const fs::file_status status = fs::status(path, unknown);
  return !fs::exists(status) || fs::is_regular_file(status) || fs::is_directory(status);
}

}  // namespace

void FilePlan::reads(const std::string& option, const fs::path& path) {
  if (!path.empty()) {
    reads_.push_back({option, path});
  }
}

void FilePlan::reads(const std::string& option, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    reads(option, path);
  }
}

void FilePlan::writes(const std::string& option, const fs::path& path) {
  if (!path.empty()) {
    writes_.push_back({option, path});
  }
}

void FilePlan::writes_folder(const std::string& option, const fs::path& path) {
  folders_.push_back({option, path});
}

void FilePlan::check() const {
  for (const Use& read : reads_) {
    check_readable(read.path);
  }
  for (const Use& folder : folders_) {
    for (const Use& read : reads_) {
      if (lies_in(read.path, folder.path)) {
        throw ConfigError(fmt::format("{} {}: contains {}, which {} reads; choose another folder",
                                      folder.option, folder.path.string(), read.path.string(),
                                      read.option));
      }
    }
    check_folder_writable(folder.path);
  }
  for (auto write = writes_.begin(); write != writes_.end(); ++write) {
    const auto is_there_too = [&](const Use& other) {
      return is_replaceable(write->path) && place_of(other.path) == place_of(write->path);
    };
    const auto read = std::find_if(reads_.begin(), reads_.end(), is_there_too);
    const auto written = std::find_if(writes_.begin(), write, is_there_too);
    if (read != reads_.end() || written != write) {
      throw ConfigError(fmt::format("{} {}: also given as {}; choose another file", write->option,
                                    write->path.string(),
                                    read != reads_.end() ? read->option : written->option));
    }
    check_writable(write->path);
  }
}

void require_new(const fs::path& path, bool replace) {
  std::error_code unknown;
  if (!is_replaceable(path)) {
    return;  // a device or a pipe
  }
  if (fs::is_symlink(path, unknown)) {
    throw ConfigError(path.string() + " is a symbolic link; expected a regular file");
  }
  if (!replace && fs::exists(path, unknown)) {
    throw ConfigError(path.string() + " already exists; --replace overwrites it");
  }
}

}  // namespace tilecast
