#include "validate/measure/counters/cupti_error.h"

#include <fmt/format.h>

#include <string_view>

namespace tilecast {
namespace {

std::string_view explanation(CountersState state) {
  switch (state) {
    case CountersState::kNoPermission:
      return "the driver restricts them to administrators; run as root or with CAP_PERFMON, or set "
             "NVreg_RestrictProfilingToAdminUsers=0 for the nvidia module";
    case CountersState::kBusy:
      return "another program is using them; end it, or pause its profiling (dcgmi profile "
             "--pause)";
    case CountersState::kAttached:
      return "another profiler or debugger is using CUPTI; run without it";
    case CountersState::kMig:
      return "the GPU is partitioned into MIG instances";
    case CountersState::kVirtual:
      return "the GPU is virtual, or in confidential computing, and its host does not allow them";
    case CountersState::kUnsupported:
      return "this GPU or this system's configuration does not support profiling";
    case CountersState::kUnknownChip:
      return "this CUPTI does not know the chip; use a newer toolkit";
    case CountersState::kNoLibrary:
      return "no driver, one older than this CUPTI, or a part of CUPTI (libnvperf_host, "
             "libnvperf_target) that was not found";
    case CountersState::kCollected:
    case CountersState::kFailed:
      break;
  }
  return "";
}

ExitCode code_of(CountersState state) {
  return state == CountersState::kNoPermission ? ExitCode::kNoPermission : ExitCode::kNoDevice;
}

/// "35 CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
std::string cupti_name(CUptiResult result) {
  const char* name = nullptr;
  if (cuptiGetResultString(result, &name) != CUPTI_SUCCESS || name == nullptr) {
    name = "unknown error";
  }
  return fmt::format("{} {}", static_cast<int>(result), name);
}

/// Returns "The driver keeps them for administrators; ... (35 CUPTI_...)", or the call that failed.
std::string why_failed(CUptiResult result, const char* call) {
  const std::string_view why = explanation(counters_state_of(result));
  return why.empty() ? fmt::format("{} failed: {}", call, cupti_name(result))
                     : fmt::format("{} ({})", why, cupti_name(result));
}

}  // namespace

CountersUnavailable::CountersUnavailable(CountersState why, const std::string& message)
    : Error(code_of(why), message), state(why) {
  TILECAST_ASSERT(why != CountersState::kCollected);
}

CountersState counters_state_of(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
      return CountersState::kNoPermission;
    case CUPTI_ERROR_HARDWARE_BUSY:
      return CountersState::kBusy;
    case CUPTI_ERROR_DISABLED:
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return CountersState::kAttached;
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
      return CountersState::kMig;
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
      return CountersState::kVirtual;
    case CUPTI_ERROR_NOT_COMPATIBLE:
    case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
      return CountersState::kUnsupported;
    case CUPTI_ERROR_INVALID_CHIP_NAME:
      return CountersState::kUnknownChip;
    case CUPTI_ERROR_NOT_INITIALIZED:
      return CountersState::kNoLibrary;
    default:
      return CountersState::kFailed;
  }
}

void check_counters(CUptiResult result, const char* call) {
  if (result != CUPTI_SUCCESS) {
    throw CountersUnavailable(counters_state_of(result),
                              "no hardware counters: " + why_failed(result, call));
  }
}

void check_cupti(CUptiResult result, const char* call) {
  if (result != CUPTI_SUCCESS) {
    throw Error(code_of(counters_state_of(result)),
                "CUPTI activity records are unavailable: " + why_failed(result, call));
  }
}

}  // namespace tilecast
