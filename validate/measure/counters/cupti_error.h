// CUPTI calls that throw. Missing hardware counters are a normal case: CUPTI's error becomes a word
// in the row and one line for the user, and timing continues.
#pragma once

#include <cupti_result.h>

#include <string>

#include "model/base/error.h"
#include "validate/record/measurement.h"

namespace tilecast {

struct CountersUnavailable : Error {
  CountersUnavailable(CountersState why, const std::string& message);

  CountersState state;  // never kCollected
};

/// Returns kFailed for an error without a dedicated state.
CountersState counters_state_of(CUptiResult result);

/// Do nothing on success. Otherwise check_counters throws CountersUnavailable with a description
/// and CUPTI's name for the error, and with the call if the description is tilecast's.
void check_counters(CUptiResult result, const char* call);
/// Throws Error: kNoPermission if the user lacks the right to profile, kNoDevice otherwise (another
/// profiler is attached, no driver, driver too old).
void check_cupti(CUptiResult result, const char* call);

}  // namespace tilecast

#define TILECAST_COUNTERS(call) ::tilecast::check_counters((call), #call)
#define TILECAST_CUPTI(call) ::tilecast::check_cupti((call), #call)
