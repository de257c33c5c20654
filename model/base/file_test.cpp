#include "model/base/file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

namespace {

std::atomic<int> umask_calls = 0;

}  // namespace

/// Replaces the C library's umask to count calls: the umask is shared by all threads.
extern "C" mode_t umask(mode_t mask) noexcept {
  ++umask_calls;
  return static_cast<mode_t>(::syscall(SYS_umask, mask));
}

namespace tilecast {
namespace {

namespace fs = std::filesystem;

int entries_of(const fs::path& folder) {
  int count = 0;
  for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder)) {
    ++count;
  }
  return count;
}

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(::lstat(path.c_str(), &status) == 0);
  return status.st_mode & 0777;
}

/// Limits the files of this process to `bytes` during its lifetime, like a full disk.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    handler_ = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int) = nullptr;
};

TEST_CASE("A written file is read back byte for byte, and missing folders are created") {
  const TemporaryFolder folder;
  const std::string content("a\0b\r\n\xff", 6);
  write_file(folder / "new/er/file", content);
  CHECK(read_file(folder / "new/er/file") == content);
  write_file(folder / "new/er/file", "");
  CHECK(read_file(folder / "new/er/file").empty());
  CHECK(entries_of(folder / "new/er") == 1);
}

TEST_CASE("read_text drops a byte-order mark, read_file keeps it") {
  const TemporaryFolder folder;
  write_file(folder / "file", "\xef\xbb\xbfgpu\n");
  CHECK(read_text(folder / "file") == "gpu\n");
  CHECK(read_file(folder / "file") == "\xef\xbb\xbfgpu\n");
}

TEST_CASE("A new file gets the umask's permissions") {
  const TemporaryFolder folder;
  const mode_t before = ::umask(027);
  write_file(folder / "file", "x");
  ::umask(before);
  CHECK(mode_of(folder / "file") == 0640);  // 0666 less the mask 027
}

TEST_CASE("A replaced file keeps its permissions") {
  const TemporaryFolder folder;
  write_file(folder / "file", "old");
  fs::permissions(folder / "file", fs::perms(0604));
  write_file(folder / "file", "new");
  CHECK(read_file(folder / "file") == "new");
  CHECK(mode_of(folder / "file") == 0604);
}

TEST_CASE("Threads that write files never change the umask") {
  constexpr int kThreads = 8, kFiles = 10;
  const TemporaryFolder folder;
  const mode_t before = ::umask(027);
  const int calls = umask_calls;
  std::atomic<int> wrong_modes = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = 0; i < kFiles; ++i) {
          const fs::path file = folder / std::to_string(thread * kFiles + i);
          write_file(file, "x");
          wrong_modes += fs::status(file).permissions() == fs::perms(0640) ? 0 : 1;
        }
      });
    }
  }
  CHECK(umask_calls == calls);
  ::umask(before);
  CHECK(wrong_modes == 0);
}

TEST_CASE("A private file and its new folder are accessible to this user only") {
  const TemporaryFolder folder;
  const mode_t before = ::umask(0);
  write_private_file(folder / "new/er/file", "private");
  ::umask(before);
  CHECK(mode_of(folder / "new/er") == 0700);
  CHECK(mode_of(folder / "new/er/file") == 0600);
  fs::permissions(folder / "new/er/file", fs::perms(0666));
  write_private_file(folder / "new/er/file", "again");
  CHECK(mode_of(folder / "new/er/file") == 0600);

  write_file(folder / "precious", "old");
  fs::create_symlink(folder / "precious", folder / "link");
  write_private_file(folder / "link", "new");
  CHECK(read_file(folder / "precious") == "old");
  CHECK(fs::is_regular_file(fs::symlink_status(folder / "link")));
  CHECK(read_file(folder / "link") == "new");
}

TEST_CASE("A full disk leaves the old content and no temporary file") {
  const TemporaryFolder folder;
  write_file(folder / "file", "old");
  std::string message;
  {
    const FileSizeLimit limit(1000);
    message = ERROR_MESSAGE(write_file(folder / "file", std::string(1001, 'x')));
  }
  CHECK(message == "6 " + (folder / "file").string() + ": cannot write: File too large");
  CHECK(read_file(folder / "file") == "old");
  CHECK(entries_of(folder / ".") == 1);
  {
    const FileSizeLimit limit(1000);
    message = ERROR_MESSAGE(write_file(folder / "file", std::string(1000, 'x')));
  }
  CHECK(message.empty());
  CHECK(read_file(folder / "file").size() == 1000);
}

TEST_CASE("A new file never replaces one that exists") {
  const TemporaryFolder folder;
  CHECK(write_new_file(folder / "new/file", "first"));
  CHECK_FALSE(write_new_file(folder / "new/file", "second"));
  CHECK(read_file(folder / "new/file") == "first");
  CHECK(entries_of(folder / "new") == 1);
}

TEST_CASE("Writing through a link or to a pipe does not replace it") {
  const TemporaryFolder folder;
  write_file(folder / "file", "old");
  fs::create_symlink(folder / "file", folder / "link");
  write_file(folder / "link", "new");
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(read_file(folder / "file") == "new");
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  const int reader = ::open((folder / "pipe").c_str(), O_RDONLY | O_NONBLOCK);
  write_file(folder / "pipe", "through");
  char got[8] = {};
  CHECK(::read(reader, got, sizeof(got)) == 7);
  CHECK(std::string(got) == "through");
  ::close(reader);
  CHECK(fs::is_fifo(folder / "pipe"));
}

TEST_CASE("A folder as target is an error and leaves no temporary file") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "target");
  CHECK(ERROR_MESSAGE(write_file(folder / "target", "x")) ==
        "6 " + (folder / "target").string() + ": cannot write: Is a directory");
  CHECK(entries_of(folder / ".") == 1);
  CHECK(ERROR_MESSAGE(read_file(folder / "target")) ==
        "6 " + (folder / "target").string() + ": cannot read: Is a directory");
}

TEST_CASE("A file in place of a parent folder is named") {
  const TemporaryFolder folder;
  write_file(folder / "file", "old");
  const std::string message = ERROR_MESSAGE(write_file(folder / "file/below", "x"));
  CHECK(message ==
        "6 " + (folder / "file/below").string() + ": cannot create its directory: Not a directory");
  CHECK(read_file(folder / "file") == "old");
}

TEST_CASE("A missing file is a file error with the system's reason") {
  const TemporaryFolder folder;
  CHECK(ERROR_MESSAGE(read_file(folder / "none")) ==
        "6 " + (folder / "none").string() + ": cannot read: No such file or directory");
}

TEST_CASE("A file without an end is refused") {
  CHECK(ERROR_MESSAGE(read_file("/dev/zero")) == "6 /dev/zero: cannot read: File too large");
}

}  // namespace
}  // namespace tilecast
