#include "library/status.h"

#include <algorithm>
#include <array>

namespace tilecast {
namespace {

constexpr std::size_t kLongestText = 1024;
thread_local std::array<char, kLongestText> t_text{};

}  // namespace

tilecast_status fail(tilecast_status status, std::string_view text) noexcept {
  const std::size_t kept = std::min(text.size(), t_text.size() - 1);
  const auto end = std::replace_copy(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(kept),
                                     t_text.begin(), '\n', ' ');
  *end = '\0';
  return status;
}

const char* error_text() noexcept { return t_text.data(); }

tilecast_status status_of(ExitCode code) {
  switch (code) {
    case ExitCode::kUsage:
      return TILECAST_INVALID_ARGUMENT;
    case ExitCode::kNoDevice:
      return TILECAST_NO_DEVICE;
    case ExitCode::kFile:
      return TILECAST_FILE_ERROR;
    default:
      return TILECAST_INTERNAL_ERROR;
  }
}

}  // namespace tilecast
