#include "validate/record/writer_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include "model/base/file.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace tilecast;

TEST_CASE("A file has one writer, and asking whether it has one keeps nobody out") {
  const TemporaryFolder folder;
  const std::filesystem::path path = folder / "rows.csv";
  CHECK_FALSE(is_locked_for_writing(path));  // not there
  write_file(path, "");
  const int first = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  const int second = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  CHECK_FALSE(is_locked_for_writing(path));
  CHECK(lock_for_writing(first, path));
  CHECK_FALSE(lock_for_writing(second, path));
  CHECK(is_locked_for_writing(path));
  CHECK(is_locked_for_writing(path));  // the first question has not released it
  ::close(first);
  CHECK_FALSE(is_locked_for_writing(path));
  CHECK(lock_for_writing(second, path));  // the questions have not kept it
  ::close(second);
}
