#include "validate/record/append_whole.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "model/base/error.h"
#include "model/base/system_reason.h"

namespace tilecast {

void fail_file(const std::filesystem::path& path, std::string_view what) {
  throw FileError(fmt::format("{}: cannot {}: {}", path.string(), what, system_reason(errno)));
}

void append_whole(int descriptor, std::string_view bytes, const std::filesystem::path& path,
                  std::string_view how_to_repair) {
  const off_t before = ::lseek(descriptor, 0, SEEK_END);
  ssize_t written;
  do {
    written = ::write(descriptor, bytes.data(), bytes.size());
  } while (written < 0 && errno == EINTR);
  if (written == static_cast<ssize_t>(bytes.size()) &&
      (::fdatasync(descriptor) == 0 || errno == EINVAL)) {
    return;
  }
  if (written >= 0 && written < static_cast<ssize_t>(bytes.size())) {
    errno = ENOSPC;
  }
  const std::string why = system_reason(errno);
  const bool whole = before >= 0 && ::ftruncate(descriptor, before) == 0;
  throw FileError(
      fmt::format("{}: cannot write: {}{}", path.string(), why, whole ? "" : how_to_repair));
}

}  // namespace tilecast
