// Converts failures to statuses that leave the library, with an error text per thread.
#pragma once

#include <tilecast/tilecast.h>

#include <exception>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "model/base/error.h"

namespace tilecast {

/// A failure with a status that no subclass of tilecast::Error has.
class StatusError : public std::runtime_error {
 public:
  StatusError(tilecast_status status, const std::string& message)
      : std::runtime_error(message), status_(status) {}
  tilecast_status status() const { return status_; }

 private:
  tilecast_status status_;
};

struct InvalidArgument : StatusError {
  explicit InvalidArgument(const std::string& message)
      : StatusError(TILECAST_INVALID_ARGUMENT, message) {}
};
struct Unsupported : StatusError {
  explicit Unsupported(const std::string& message) : StatusError(TILECAST_UNSUPPORTED, message) {}
};

/// Sets the beginning of `text` as the thread's error text, on one line; returns `status`.
tilecast_status fail(tilecast_status status, std::string_view text) noexcept;

const char* error_text() noexcept;

tilecast_status status_of(ExitCode code);

/// Converts exceptions of `work` to a status.
template <class Work>
tilecast_status guarded(Work&& work) noexcept {
  try {
    work();
    return TILECAST_OK;
  } catch (const StatusError& error) {
    return fail(error.status(), error.what());
  } catch (const Error& error) {
    return fail(status_of(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    return fail(TILECAST_OUT_OF_MEMORY, "out of memory");
  } catch (const std::exception& error) {
    return fail(TILECAST_INTERNAL_ERROR, error.what());
  } catch (...) {
    return fail(TILECAST_INTERNAL_ERROR, "an exception of an unknown type");
  }
}

}  // namespace tilecast
