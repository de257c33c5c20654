#include "model/base/error.h"

#include "tests/catch.h"
#include "tests/error_message.h"

namespace tilecast {
namespace {

TEST_CASE("Each kind of error carries the exit code that its users rely on") {
  CHECK(static_cast<int>(ConfigError("x").code()) == 2);
  CHECK(static_cast<int>(DeviceError("x").code()) == 3);
  CHECK(static_cast<int>(FileError("x").code()) == 6);
}

TEST_CASE("A broken assertion names its place and its condition, also in release") {
  const int one = 1;
  const std::string message = error_message([&] { TILECAST_ASSERT(one == 2); });
  CHECK(message.find("error_test.cpp:") != std::string::npos);
  CHECK(message.find("one == 2 does not hold") != std::string::npos);
  CHECK(error_message([&] { TILECAST_ASSERT(one == 1); }).empty());
}

}  // namespace
}  // namespace tilecast
