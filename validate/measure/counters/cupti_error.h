// CUPTI calls that throw. Hardware counters that cannot be had are a normal mode: what CUPTI
// answers becomes a word for the row and one line for the user, and timing goes on.
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

/// kFailed for what has no word of its own.
CountersState counters_state_of(CUptiResult result);

/// These do nothing on success. Else the first throws CountersUnavailable: what is wrong in words,
/// CUPTI's own name for it, the call where the words are ours alone.
void check_counters(CUptiResult result, const char* call);
/// Throws Error: kNoPermission where the user lacks the right to profile, kNoDevice for everything
/// else (another profiler attached, no driver, too old).
void check_cupti(CUptiResult result, const char* call);

}  // namespace tilecast

#define TILECAST_COUNTERS(call) ::tilecast::check_counters((call), #call)
#define TILECAST_CUPTI(call) ::tilecast::check_cupti((call), #call)
