// Checks kernel records of a load against the requirements of the sustained regime. Checked by:
// load_records_test.cpp.
#pragma once

#include <span>
#include <string>

#include "model/base/units.h"
#include "validate/measure/timing/launch_times.h"

namespace tilecast {

constexpr Seconds kLongestGap{1e-3};  // longest gap in a load that still counts as continuous

/// `spans`: all kernels of the load, in order. `slices`: the counted ones, which must last for
/// `least`. Returns one line with the violation and its time; empty if there is none.
std::string why_not_sustained(Kernels spans, std::span<const Kernels> slices, Seconds least);

}  // namespace tilecast
