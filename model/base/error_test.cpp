#include "model/base/error.h"

#include "tests/catch.h"
#include "tests/error_message.h"

namespace tilecast {
namespace {

TEST_CASE("Each kind of error has its documented exit code") {
  CHECK(static_cast<int>(ConfigError("x").code()) == 2);
  CHECK(static_cast<int>(DeviceError("x").code()) == 3);
  CHECK(static_cast<int>(FileError("x").code()) == 6);
}

TEST_CASE("A failed assertion names its place and condition, in release too") {
  const int one = 1;
  const std::string message = error_message([&] { TILECAST_ASSERT(one == 2); });
  CHECK(message.find("error_test.cpp:") != std::string::npos);
  CHECK(message.find("one == 2 does not hold") != std::string::npos);
  CHECK(error_message([&] { TILECAST_ASSERT(one == 1); }).empty());
}

}  // namespace
}  // namespace tilecast
