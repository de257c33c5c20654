#include "model/base/trusted_path.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace tilecast {
namespace {

using Status = struct stat;

bool is_trusted_owner(uid_t owner, const Status* like) {
  return owner == 0 || owner == ::geteuid() || (like != nullptr && owner == like->st_uid);
}

bool others_can_write(const Status& status, const Status* like) {
  const bool group_is_trusted =
      like != nullptr && (like->st_mode & S_IWGRP) != 0 && like->st_gid == status.st_gid;
  return (status.st_mode & S_IWOTH) != 0 || ((status.st_mode & S_IWGRP) != 0 && !group_is_trusted);
}

}  // namespace

std::string why_not_trusted(const std::filesystem::path& folder, const Trust& trust) {
  Status like{}, link{}, status{};
  const bool has_like = !trust.like.empty() && ::stat(trust.like.c_str(), &like) == 0;
  const Status* const alike = has_like ? &like : nullptr;
  if (::lstat(folder.c_str(), &link) != 0 || ::stat(folder.c_str(), &status) != 0) {
    return "";
  }
  for (const Status& found : {link, status}) {
    if (!is_trusted_owner(found.st_uid, alike)) {
      return fmt::format("{}: belongs to user {}", folder.string(), found.st_uid);
    }
  }
  const bool sticky = trust.sticky && (status.st_mode & S_ISVTX) != 0;
  return others_can_write(status, alike) && !sticky
             ? fmt::format("{}: writable by other users (chmod go-w)", folder.string())
             : "";
}

bool has_trusted_owner(const std::filesystem::path& path, const std::filesystem::path& like) {
  Status found{}, owner{};
  const bool has_like = ::stat(like.c_str(), &owner) == 0;
  return ::lstat(path.c_str(), &found) == 0 &&
         is_trusted_owner(found.st_uid, has_like ? &owner : nullptr);
}

std::optional<std::string> read_trusted_file(const std::filesystem::path& path) {
  // Checks the opened file instead of the path, which may have been replaced since.
  const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) {
    return {};
  }
  std::optional<std::string> content;
  Status status{};
  if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
      is_trusted_owner(status.st_uid, nullptr) && !others_can_write(status, nullptr)) {
    content.emplace(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t have = 0;
    while (have < content->size()) {
      const ssize_t got = ::read(file, content->data() + have, content->size() - have);
      if (got < 0 && errno == EINTR) {
        continue;
      }
      if (got <= 0) {
        content.reset();
        break;
      }
      have += static_cast<std::size_t>(got);
    }
  }
  ::close(file);
  return content;
}

}  // namespace tilecast
