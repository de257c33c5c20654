#include "validate/run/gpu_lock.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/base/error.h"
#include "tests/catch.h"
#include "tests/temporary_folder.h"

using namespace tilecast;
using namespace std::chrono_literals;

namespace {

std::string message_of(const std::filesystem::path& folder, const std::string& gpu) {
  try {
    const GpuLock lock(gpu, "me", folder, 0ms);
  } catch (const DeviceError& error) {
    return error.what();
  }
  return "locked";
}

}  // namespace

TEST_CASE("A second measuring process on a GPU gets an error that names the holder") {
  const TemporaryFolder folder;
  {
    const GpuLock first("GPU-1", "measure --out a.csv", folder / "");
    CHECK(message_of(folder / "", "GPU-1") ==
          "GPU-1 is in use by process " + std::to_string(::getpid()) + ": measure --out a.csv");
    CHECK(message_of(folder / "", "GPU-2") == "locked");  // another GPU is free
  }
  CHECK(message_of(folder / "", "GPU-1") == "locked");
}

TEST_CASE("A killed process releases the lock, and a waiting one gets it") {
  const TemporaryFolder folder;
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const GpuLock lock("GPU-1", "the child", folder / "");
    (void)!::write(ready[1], "x", 1);
    ::pause();
    _exit(0);
  }
  char byte;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  CHECK(contains(message_of(folder / "", "GPU-1"), "the child"));
  ::kill(child, SIGKILL);
  const GpuLock lock("GPU-1", "the parent", folder / "", 10s);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  CHECK(contains(message_of(folder / "", "GPU-1"), "the parent"));
}

TEST_CASE("A folder that cannot be written is a file error") {
  CHECK_THROWS_AS(GpuLock("GPU-1", "me", "/no/such/folder"), FileError);
}
