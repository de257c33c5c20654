#include "validate/record/writer_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include "model/base/file.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace tilecast;

TEST_CASE("A file has one writer, and testing the lock blocks no one") {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "rows.csv";
  CHECK_FALSE(is_locked_for_writing(path));  // the file does not exist
  write_file(path, "");
  const int first = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  const int second = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  CHECK_FALSE(is_locked_for_writing(path));
  CHECK(lock_for_writing(first, path));
  CHECK_FALSE(lock_for_writing(second, path));
  CHECK(is_locked_for_writing(path));
  CHECK(is_locked_for_writing(path));  // testing did not release it
  ::close(first);
  CHECK_FALSE(is_locked_for_writing(path));
  CHECK(lock_for_writing(second, path));  // the first lock was not kept
  ::close(second);
}
