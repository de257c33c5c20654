// Error types and the exit code of each.
//
// A user's mistake throws ConfigError, an unreadable or unwritable file FileError, a missing device
// DeviceError. A bug in tilecast fails TILECAST_ASSERT, which stays on in release. Only main()
// exits.
#pragma once

#include <source_location>
#include <stdexcept>
#include <string>

namespace tilecast {

enum class ExitCode : int {
  kDone = 0,
  kWrong = 1,         // verification failed, or a --check threshold was exceeded
  kUsage = 2,         // usage or bad input
  kNoDevice = 3,      // no driver, no GPU, driver too old
  kNoPermission = 4,  // no permission to read counters
  kPartial = 5,       // some of the work failed
  kFile = 6,          // a file could not be read or written
};

class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

struct ConfigError : Error {
  explicit ConfigError(const std::string& message) : Error(ExitCode::kUsage, message) {}
};

struct FileError : Error {
  explicit FileError(const std::string& message) : Error(ExitCode::kFile, message) {}
};

struct DeviceError : Error {
  explicit DeviceError(const std::string& message) : Error(ExitCode::kNoDevice, message) {}
};

[[noreturn]] void assertion_failed(
    const char* expression, const std::source_location& where = std::source_location::current());

}  // namespace tilecast

#define TILECAST_ASSERT(condition)              \
  do {                                          \
    if (!(condition)) {                         \
      ::tilecast::assertion_failed(#condition); \
    }                                           \
  } while (false)
