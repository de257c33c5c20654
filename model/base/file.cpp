#include "model/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "model/base/error.h"
#include "model/base/shown_text.h"

namespace tilecast {
namespace {

[[noreturn]] void fail(const std::filesystem::path& path, const char* what, int error) {
  throw FileError(path.string() + ": cannot " + what + ": " + std::strerror(error));
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
  return std::string(without_bom(read_file(path)));
}

void write_file(const std::filesystem::path& given, std::string_view content) {
  std::error_code unknown;
  const std::filesystem::file_status status = std::filesystem::status(given, unknown);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
      !std::filesystem::is_directory(status)) {
    write_in_place(given, content);
    return;
  }
  // Behind a link it is the file that is replaced.
  const std::filesystem::path path =
      std::filesystem::exists(status) ? std::filesystem::canonical(given) : given;
  if (path.has_parent_path()) {
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    if (error) {
      throw FileError(path.string() + ": cannot create its directory: " + error.message());
    }
  }
  std::string beside = path.string() + ".XXXXXX";
  const int descriptor = ::mkstemp(beside.data());
  if (descriptor < 0) {
    fail(path, "write", errno);
  }
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

}  // namespace tilecast
