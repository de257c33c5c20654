#include "model/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>

#include "model/base/error.h"
#include "model/base/shown_text.h"

namespace tilecast {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* what, int error) {
  throw FileError(path.string() + ": cannot " + what + ": " +
                  std::generic_category().message(error));
}

/// Writes everything and flushes it to the disk; returns 0 or an errno value.
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

/// A device or pipe takes what is written to it; nothing may stand in its place afterwards.
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

/// Makes a file beside `path` and opens it; `beside` becomes its name.
int open_beside(const std::filesystem::path& path, std::string& beside) {
  beside = path.string() + ".XXXXXX";
  const int descriptor = ::mkstemp(beside.data());
  if (descriptor < 0) {
    fail(path, "write", errno);
  }
  return descriptor;
}

bool is_special(const std::filesystem::path& path) {
  std::error_code unknown;
  const std::filesystem::file_status status = std::filesystem::status(path, unknown);
  return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
         !std::filesystem::is_directory(status);
}

/// Behind a link it is the file that is replaced.
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
  std::ostringstream content;
  content << stream.rdbuf();
  if (stream.bad() || (content.fail() && stream.peek() != std::ifstream::traits_type::eof())) {
    fail(path, "read", EIO);
  }
  return content.str();
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
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    if (error) {
      throw FileError(path.string() + ": cannot create its directory: " + error.message());
    }
  }
  std::string beside;
  const int descriptor = open_beside(path, beside);
  int error = write_all(descriptor, content);
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (error == 0 && ::fchmod(descriptor, 0666 & ~mask) != 0) {
    error = errno;
  }
  if (::close(descriptor) != 0 && error == 0) {
    error = errno;
  }
  if (error == 0 && ::rename(beside.c_str(), path.c_str()) != 0) {
    error = errno;
  }
  if (error != 0) {
    ::unlink(beside.c_str());
    fail(path, "write", error);
  }
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
  // Where folders have to be made first, the one that they are made in has to take a file.
  std::filesystem::path path = behind_links(given);
  while (path.has_relative_path() && path.has_parent_path() &&
         !std::filesystem::exists(path.parent_path(), unknown)) {
    path = path.parent_path();
  }
  if (path.has_parent_path() && !std::filesystem::is_directory(path.parent_path(), unknown)) {
    throw FileError(given.string() +
                    ": cannot create its directory: " + std::generic_category().message(ENOTDIR));
  }
  std::string beside;
  ::close(open_beside(path, beside));
  ::unlink(beside.c_str());
}

void check_folder_writable(const std::filesystem::path& folder) {
  std::error_code unknown;
  if (std::filesystem::exists(folder, unknown) && !std::filesystem::is_directory(folder, unknown)) {
    fail(folder, "write files in it", ENOTDIR);
  }
  check_writable(folder / "report");
}

}  // namespace tilecast
