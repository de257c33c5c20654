#include "validate/record/writer_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>

#include "model/base/error.h"
#include "model/base/system_reason.h"

namespace tilecast {
namespace {

struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

}  // namespace

void fail_file(const std::filesystem::path& path, std::string_view what) {
  throw FileError(fmt::format("{}: cannot {}: {}", path.string(), what, system_reason(errno)));
}

bool lock_for_writing(int descriptor, const std::filesystem::path& path) {
  struct flock lock = whole_file(F_WRLCK);
  if (::fcntl(descriptor, F_OFD_SETLK, &lock) == 0) {
    return true;
  }
  if (errno != EAGAIN && errno != EACCES) {
    fail_file(path, "lock");
  }
  return false;
}

bool is_locked_for_writing(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return false;
  }
  struct flock lock = whole_file(F_RDLCK);
  const bool held = ::fcntl(descriptor, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  ::close(descriptor);
  return held;
}

}  // namespace tilecast
