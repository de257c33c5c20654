// Hardware counters that cannot be had are a normal mode: what CUPTI answers becomes a word for the
// row and one line for the user, and timing goes on.
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

/// Does nothing on success. Else throws CountersUnavailable: what is wrong in words, CUPTI's own
/// name for it, the call where the words are ours alone.
void check_counters(CUptiResult result, const char* call);

}  // namespace tilecast

#define TILECAST_COUNTERS(call) ::tilecast::check_counters((call), #call)
