#include "validate/run/gpu_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "model/base/error.h"
#include "model/base/system_reason.h"

namespace tilecast {
namespace {

constexpr auto kPollEvery = std::chrono::milliseconds(50);
constexpr std::size_t kMostShown = 300;

/// Another user's file in a shared folder may only be opened for reading and without O_CREAT. That
/// suffices for a lock.
int open_lock_file(const std::filesystem::path& path) {
  constexpr int kFlags = O_CLOEXEC | O_NOFOLLOW;
  int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | kFlags, 0666);
  if (descriptor >= 0) {
    ::fchmod(descriptor, 0666);  // regardless of the umask
    return descriptor;
  }
  if (errno == EEXIST) {
    descriptor = ::open(path.c_str(), O_RDWR | kFlags);
    if (descriptor < 0 && errno == EACCES) {
      descriptor = ::open(path.c_str(), O_RDONLY | kFlags);
    }
  }
  return descriptor;
}

std::string holder_in(int descriptor) {
  char text[kMostShown] = {};
  const ssize_t count = ::pread(descriptor, text, sizeof text, 0);
  return std::string(text, static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
}

}  // namespace

GpuLock::GpuLock(const std::string& gpu_uuid, const std::string& holder,
                 const std::filesystem::path& folder, std::chrono::milliseconds patience) {
  const std::filesystem::path path = folder / ("tilecast-" + gpu_uuid + ".lock");
  descriptor_ = open_lock_file(path);
  if (descriptor_ < 0) {
    throw FileError(
        fmt::format("{}: cannot lock the GPU: {}", path.string(), system_reason(errno)));
  }
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK || std::chrono::steady_clock::now() >= deadline) {
      const std::string who = holder_in(descriptor_);
      const std::string why = errno == EWOULDBLOCK ? "" : std::string(": ") + system_reason(errno);
      ::close(descriptor_);
      throw DeviceError(fmt::format("{} is in use by {}{}", gpu_uuid,
                                    who.empty() ? "another process" : who, why));
    }
    std::this_thread::sleep_for(kPollEvery);
  }
  const std::string text = fmt::format("process {}: {}", ::getpid(), holder);
  if (::ftruncate(descriptor_, 0) == 0) {  // another user's file stays unchanged, and still locks
    (void)!::pwrite(descriptor_, text.data(), std::min(text.size(), kMostShown), 0);
  }
}

GpuLock::~GpuLock() { ::close(descriptor_); }

}  // namespace tilecast
