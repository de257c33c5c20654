// Do the kernel records show that a load was what the sustained regime asks for? Checked by:
// load_records_test.cpp.
#pragma once

#include <span>
#include <string>

#include "model/base/units.h"
#include "validate/measure/timing/launch_times.h"
#include "validate/record/sustained_load.h"

namespace tilecast {

constexpr Seconds kLongestGap{1e-3};  // of a load that still counts as continuous

/// `spans` are all kernels of the load in order, `slices` those that count, which are part of them
/// and are to last for `least`. One line that says what is wrong and when; empty where nothing is.
std::string why_not_sustained(Kernels spans, std::span<const Kernels> slices, Seconds least);

}  // namespace tilecast
