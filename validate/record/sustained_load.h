// The sustained regime: a configuration under its own continuous load, of which only the end is
// measured.
#pragma once

#include "model/base/units.h"

namespace tilecast {

constexpr Seconds kLoadLength{0.25};    // load before the first measured launch
constexpr Seconds kSustainedWindow{1};  // default duration of measured launches

}  // namespace tilecast
