// Determines the bottleneck that all outputs name. Checked by: bottleneck_test.cpp.
#pragma once

#include <optional>

#include "model/spec/limiter.h"

namespace tilecast {

/// Returns the utilization of the limiter's resource; std::nullopt if it has no rate.
std::optional<double> share_of(const Shares& shares, Limiter limiter);

/// Returns `limiter`, or latency if its resource is nearly idle: then the kernel waits, and no rate
/// limits it.
Limiter bottleneck(const Shares& busy, Limiter limiter);

}  // namespace tilecast
