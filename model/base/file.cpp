#include "model/base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <optional>
#include <random>
#include <system_error>

#include "model/base/error.h"
#include "model/base/shown_text.h"
#include "model/base/system_reason.h"

namespace tilecast {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* what, int error) {
  throw FileError(path.string() + ": cannot " + what + ": " + system_reason(error));
}

/// Writes all of `content` and syncs it to disk; returns 0 or an errno value.
int write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) {
        continue;
      }
      return errno;
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
}

/// Writes to a device or pipe, which must not be replaced by a file.
void write_in_place(const std::filesystem::path& path, std::string_view content) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) {
    fail(path, "write", errno);
  }
  const int error = write_all(descriptor, content);
  ::close(descriptor);
  if (error != 0) {
    fail(path, "write", error);
  }
}

constexpr mode_t kForThisUser = 0600;

struct NewFile {
  std::string name;
  int descriptor;
};

/// Creates a temporary file next to `path`, with `mode` less the umask.
NewFile open_next_to(const std::filesystem::path& path, mode_t mode) {
  constexpr int kMostTries = 100;
  std::random_device random;
  for (int left = kMostTries;; --left) {
    const std::string name = fmt::format("{}.{:08x}", path.string(), random());
    const int descriptor = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0) {
      return {name, descriptor};
    }
    if (errno != EEXIST || left == 0) {
      fail(path, "write", errno);
    }
  }
}

void make_folders(const std::filesystem::path& folder, const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw FileError(path.string() + ": cannot create its directory: " + error.message());
  }
}

/// Writes `content` to a temporary file next to `path` and returns its name. Without `mode`, the
/// umask determines the permissions.
std::string write_next_to(const std::filesystem::path& path, std::string_view content,
                          std::optional<mode_t> mode) {
  const NewFile file = open_next_to(path, mode ? kForThisUser : 0666);
  int error = write_all(file.descriptor, content);
  if (error == 0 && mode && ::fchmod(file.descriptor, *mode) != 0) {
    error = errno;
  }
  if (::close(file.descriptor) != 0 && error == 0) {
    error = errno;
  }
  if (error != 0) {
    ::unlink(file.name.c_str());
    fail(path, "write", error);
  }
  return file.name;
}

/// Replaces the file at `path`, if any, atomically.
void replace_file(const std::filesystem::path& path, std::string_view content,
                  std::optional<mode_t> mode) {
  const std::string file = write_next_to(path, content, mode);
  if (::rename(file.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(file.c_str());
    fail(path, "write", error);
  }
}

/// Permissions of the file at `path`, if it exists.
std::optional<mode_t> mode_of(const std::filesystem::path& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? std::optional<mode_t>(status.st_mode & 0777)
                                            : std::nullopt;
}

bool is_special(const std::filesystem::path& path) {
  std::error_code unknown;
  const std::filesystem::file_status status = std::filesystem::status(path, unknown);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

/// Follows symbolic links, so that the target is replaced and not the link.
std::filesystem::path behind_links(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown) ? std::filesystem::canonical(path) : path;
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  errno = 0;
  if (std::error_code error; std::filesystem::is_directory(path, error)) {
    fail(path, "read", EISDIR);
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    fail(path, "read", errno != 0 ? errno : EIO);
  }
  std::string content;
  std::string block(std::size_t{1} << 16, '\0');
  while (stream) {
    stream.read(block.data(), static_cast<std::streamsize>(block.size()));
    content.append(block, 0, static_cast<std::size_t>(stream.gcount()));
    if (content.size() > kMostFileBytes) {  // such as a device that never ends
      fail(path, "read", EFBIG);
    }
  }
  if (stream.bad()) {
    fail(path, "read", EIO);
  }
  return content;
}

std::string read_text(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  refuse_nul(text, path.string());
  return std::string(without_bom(text));
}

void write_file(const std::filesystem::path& given, std::string_view content) {
  if (is_special(given)) {
    write_in_place(given, content);
    return;
  }
  const std::filesystem::path path = behind_links(given);
  if (path.has_parent_path()) {
    make_folders(path.parent_path(), path);
  }
  replace_file(path, content, mode_of(path));
}

bool write_new_file(const std::filesystem::path& path, std::string_view content) {
  if (path.has_parent_path()) {
    make_folders(path.parent_path(), path);
  }
  const std::string file = write_next_to(path, content, {});
  const int error = ::link(file.c_str(), path.c_str()) == 0 ? 0 : errno;
  ::unlink(file.c_str());
  if (error == EEXIST) {
    return false;
  }
  if (error != 0) {
    replace_file(path, content, {});  // for a file system without hard links
  }
  return true;
}

void write_private_file(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path folder = path.parent_path();
  if (folder.has_parent_path()) {
    make_folders(folder.parent_path(), path);
  }
  if (!folder.empty() && ::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    throw FileError(path.string() + ": cannot create its directory: " + system_reason(errno));
  }
  replace_file(path, content, kForThisUser);
}

void check_readable(const std::filesystem::path& path) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown)) {
    fail(path, "read", EISDIR);
  }
  if (::access(path.c_str(), R_OK) != 0) {
    fail(path, "read", errno);
  }
}

void check_writable(const std::filesystem::path& given) {
  std::error_code unknown;
  if (std::filesystem::is_directory(given, unknown)) {
    fail(given, "write", EISDIR);
  }
  if (is_special(given)) {
    if (::access(given.c_str(), W_OK) != 0) {
      fail(given, "write", errno);
    }
    return;
  }
  // If folders are missing, the deepest existing one must be writable.
  std::filesystem::path path = behind_links(given);
  while (path.has_relative_path() && path.has_parent_path() &&
         !std::filesystem::exists(path.parent_path(), unknown)) {
    path = path.parent_path();
  }
  if (path.has_parent_path() && !std::filesystem::is_directory(path.parent_path(), unknown)) {
    throw FileError(given.string() + ": cannot create its directory: " + system_reason(ENOTDIR));
  }
  const NewFile file = open_next_to(path, kForThisUser);
  ::close(file.descriptor);
  ::unlink(file.name.c_str());
}

void check_folder_writable(const std::filesystem::path& folder) {
  std::error_code unknown;
  if (std::filesystem::exists(folder, unknown) && !std::filesystem::is_directory(folder, unknown)) {
    fail(folder, "write files in it", ENOTDIR);
  }
  check_writable(folder / "report");
}

}  // namespace tilecast
