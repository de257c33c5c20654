#include "model/base/file.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "tests/catch.h"
#include "tests/error_message.h"
#include "tests/temporary_folder.h"

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

/// No file of this process can grow beyond `bytes` while this lives: a disk that fills up.
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

TEST_CASE("What is written is read back byte for byte, in folders made on the way") {
  const TemporaryFolder folder;
  const std::string content("a\0b\r\n\xff", 6);
  write_file(folder / "new/er/file", content);
  CHECK(read_file(folder / "new/er/file") == content);
  write_file(folder / "new/er/file", "");
  CHECK(read_file(folder / "new/er/file").empty());
  CHECK(entries_of(folder / "new/er") == 1);
}

TEST_CASE("A text is read without the byte-order mark before it, a file with it") {
  const TemporaryFolder folder;
  write_file(folder / "file", "\xef\xbb\xbfgpu\n");
  CHECK(read_text(folder / "file") == "gpu\n");
  CHECK(read_file(folder / "file") == "\xef\xbb\xbfgpu\n");
}

TEST_CASE("A written file has the permissions of any other file") {
  const TemporaryFolder folder;
  const mode_t before = ::umask(027);
  write_file(folder / "file", "x");
  ::umask(before);
  struct stat status {};
  REQUIRE(::stat((folder / "file").c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0640);  // 0666 less the mask 027
}

TEST_CASE("A full disk leaves the old content and nothing beside it") {
  const TemporaryFolder folder;
  write_file(folder / "file", "old");
  std::string message;
  {
    const FileSizeLimit limit(1000);
    message = error_message([&] { write_file(folder / "file", std::string(1001, 'x')); });
  }
  CHECK(message == "6 " + (folder / "file").string() + ": cannot write: File too large");
  CHECK(read_file(folder / "file") == "old");
  CHECK(entries_of(folder / ".") == 1);
  {
    const FileSizeLimit limit(1000);
    message = error_message([&] { write_file(folder / "file", std::string(1000, 'x')); });
  }
  CHECK(message.empty());
  CHECK(read_file(folder / "file").size() == 1000);
}

TEST_CASE("A link and a pipe stay what they are") {
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

TEST_CASE("A target that is a folder is refused and nothing is left beside it") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "target");
  CHECK(error_message([&] { write_file(folder / "target", "x"); }) ==
        "6 " + (folder / "target").string() + ": cannot write: Is a directory");
  CHECK(entries_of(folder / ".") == 1);
  CHECK(error_message([&] { read_file(folder / "target"); }) ==
        "6 " + (folder / "target").string() + ": cannot read: Is a directory");
}

TEST_CASE("A file where a folder should be is named") {
  const TemporaryFolder folder;
  write_file(folder / "file", "old");
  const std::string message = error_message([&] { write_file(folder / "file/below", "x"); });
  CHECK(message ==
        "6 " + (folder / "file/below").string() + ": cannot create its directory: Not a directory");
  CHECK(read_file(folder / "file") == "old");
}

TEST_CASE("A missing file is a file error with the system's reason") {
  const TemporaryFolder folder;
  CHECK(error_message([&] { read_file(folder / "none"); }) ==
        "6 " + (folder / "none").string() + ": cannot read: No such file or directory");
}

}  // namespace
}  // namespace tilecast
