// CUPTI calls that throw: the call's own text, CUPTI's reason and, where there is one, the remedy.
#pragma once

#include <cupti_result.h>

#include <string>

namespace tilecast {

/// "35 CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
std::string cupti_name(CUptiResult result);

/// Does nothing on success. Else throws Error: kNoPermission where the user lacks the right to
/// profile, kNoDevice for everything else (another profiler attached, no driver, too old).
void check_cupti(CUptiResult result, const char* call);

}  // namespace tilecast

#define TILECAST_CUPTI(call) ::tilecast::check_cupti((call), #call)
