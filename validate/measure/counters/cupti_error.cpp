#include "validate/measure/counters/cupti_error.h"

#include <fmt/format.h>

#include <string_view>

#include "model/base/error.h"

namespace tilecast {
namespace {

std::string_view remedy(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      return ": profiling is restricted to administrators; run as root, or set "
             "NVreg_RestrictProfilingToAdminUsers=0 for the nvidia module";
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
    case CUPTI_ERROR_DISABLED:
      return ": another profiler or debugger holds CUPTI; run without it";
    case CUPTI_ERROR_NOT_INITIALIZED:
      return ": no driver, or one older than this CUPTI";
    default:
      return "";
  }
}

}  // namespace

std::string cupti_name(CUptiResult result) {
  const char* name = nullptr;
  if (cuptiGetResultString(result, &name) != CUPTI_SUCCESS || name == nullptr) {
    name = "unknown error";
  }
  return fmt::format("{} {}", static_cast<int>(result), name);
}

void check_cupti(CUptiResult result, const char* call) {
  if (result == CUPTI_SUCCESS) {
    return;
  }
  const ExitCode code =
      result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? ExitCode::kNoPermission : ExitCode::kNoDevice;
  throw Error(code, fmt::format("{} failed: {}{}", call, cupti_name(result), remedy(result)));
}

}  // namespace tilecast
