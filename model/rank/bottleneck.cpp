#include "model/rank/bottleneck.h"

namespace tilecast {

std::optional<double> share_of(const Shares& shares, Limiter limiter) {
  switch (limiter) {
    case Limiter::kTensor:
      return shares.tensor;
    case Limiter::kSharedMemory:
      return shares.shared_memory;
    case Limiter::kSmIntake:
      return shares.sm_intake;
    case Limiter::kL2:
      return shares.l2;
    case Limiter::kDram:
      return shares.dram;
    default:
      return std::nullopt;
  }
}

Limiter bottleneck(const Shares& busy, Limiter limiter) {
  constexpr double kNearlyIdle = 0.15;
  return share_of(busy, limiter).value_or(1) < kNearlyIdle ? Limiter::kLatency : limiter;
}

}  // namespace tilecast
