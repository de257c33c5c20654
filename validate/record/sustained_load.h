// The sustained regime: a configuration under continuous load of its own, of which the end counts.
#pragma once

#include "model/base/units.h"

namespace tilecast {

constexpr Seconds kLoadLength{0.25};    // before the first launch that counts
constexpr Seconds kSustainedWindow{1};  // of launches that count, where nothing else is asked for

}  // namespace tilecast
