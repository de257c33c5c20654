#include "model/base/trusted_path.h"

#include <sys/stat.h>
#include <unistd.h>

#include "model/base/file.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

namespace tilecast {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kOther = 12345;

fs::path folder_with_mode(const fs::path& path, mode_t mode) {
  fs::create_directory(path);
  REQUIRE(::chmod(path.c_str(), mode) == 0);
  return path;
}

}  // namespace

TEST_CASE("A folder that others can write is not trusted, unless it is sticky") {
  const TemporaryFolder folder;
  CHECK(why_not_trusted(folder_with_mode(folder / "own", 0755), {}).empty());
  const fs::path group = folder_with_mode(folder / "group", 0775);
  CHECK(why_not_trusted(group, {}) == group.string() + ": writable by other users (chmod go-w)");
  CHECK_FALSE(why_not_trusted(folder_with_mode(folder / "all", 0757), {}).empty());
  const fs::path sticky = folder_with_mode(folder / "sticky", 01777);
  CHECK_FALSE(why_not_trusted(sticky, {}).empty());
  CHECK(why_not_trusted(sticky, {.sticky = true}).empty());
  CHECK(why_not_trusted(folder / "missing", {}).empty());
}

TEST_CASE("A group that can write the reference folder is trusted") {
  const TemporaryFolder folder;
  const fs::path group = folder_with_mode(folder / "group", 0775);
  CHECK(why_not_trusted(group, {.like = folder_with_mode(folder / "shared", 0775)}).empty());
  CHECK_FALSE(why_not_trusted(group, {.like = folder_with_mode(folder / "own", 0755)}).empty());
  // A world-writable reference folder does not make another one trusted.
  const fs::path all = folder_with_mode(folder / "all", 0777);
  CHECK_FALSE(why_not_trusted(all, {.like = all}).empty());
}

TEST_CASE("Another user's folder is not trusted, nor another user's link to our folder") {
  if (::geteuid() != 0) {
    SUCCEED("only root can make files of others");
    return;
  }
  const TemporaryFolder folder;
  const fs::path other = folder_with_mode(folder / "other", 0755);
  REQUIRE(::chown(other.c_str(), kOther, kOther) == 0);
  CHECK(why_not_trusted(other, {}) == other.string() + ": belongs to user 12345");
  CHECK(why_not_trusted(other, {.like = other}).empty());
  fs::create_directory_symlink(folder_with_mode(folder / "own", 0755), folder / "link");
  CHECK(why_not_trusted(folder / "link", {}).empty());
  REQUIRE(::lchown((folder / "link").c_str(), kOther, kOther) == 0);
  CHECK_FALSE(why_not_trusted(folder / "link", {}).empty());
}

TEST_CASE("Another user's file has a trusted owner only if the reference is that user's too") {
  const TemporaryFolder folder;
  const fs::path file = folder / "file", like = folder / "like";
  write_file(like, "");
  CHECK_FALSE(has_trusted_owner(file, like));  // missing
  write_file(file, "");
  CHECK(has_trusted_owner(file, folder / "missing"));
  if (::geteuid() == 0) {
    REQUIRE(::chown(file.c_str(), kOther, kOther) == 0);
    CHECK_FALSE(has_trusted_owner(file, like));
    REQUIRE(::chown(like.c_str(), kOther, kOther) == 0);
    CHECK(has_trusted_owner(file, like));
  }
}

TEST_CASE("A trusted read refuses a file that another user can write") {
  const TemporaryFolder folder;
  const fs::path file = folder / "file";
  write_file(file, "content");
  for (const mode_t mode : {0600, 0644}) {
    REQUIRE(::chmod(file.c_str(), mode) == 0);
    CHECK(read_trusted_file(file) == "content");
  }
  for (const mode_t mode : {0664, 0646}) {
    REQUIRE(::chmod(file.c_str(), mode) == 0);
    CHECK(read_trusted_file(file) == std::nullopt);
  }
  REQUIRE(::chmod(file.c_str(), 0600) == 0);
  if (::geteuid() == 0) {
    REQUIRE(::chown(file.c_str(), kOther, kOther) == 0);
    CHECK(read_trusted_file(file) == std::nullopt);
    REQUIRE(::chown(file.c_str(), 0, 0) == 0);
  }
  CHECK(read_trusted_file(file) == "content");
}

TEST_CASE("A link, a folder, a pipe and a missing file are not read") {
  const TemporaryFolder folder;
  write_file(folder / "file", "content");
  fs::create_symlink(folder / "file", folder / "link");
  CHECK(read_trusted_file(folder / "link") == std::nullopt);
  CHECK(read_trusted_file(folder / ".") == std::nullopt);
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(read_trusted_file(folder / "pipe") == std::nullopt);
  CHECK(read_trusted_file(folder / "missing") == std::nullopt);
}

}  // namespace tilecast
