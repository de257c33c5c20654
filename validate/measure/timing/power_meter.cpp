#include "validate/measure/timing/power_meter.h"

namespace tilecast {
namespace {

// Ten counter steps; with these, one more or less matters little.
constexpr auto kLong = std::chrono::seconds(1);

}  // namespace

void PowerMeter::read(std::optional<Joules> energy, Clock::time_point at) {
  if (!energy) {
    return;
  }
  const Reading reading{at, *energy};
  first_ = first_ ? first_ : reading;
  if (previous_ && *energy > previous_->energy) {
    last_step_ = reading;
    first_step_ = first_step_ ? first_step_ : last_step_;
  }
  previous_ = reading;
}

std::optional<Watts> PowerMeter::mean() const {
  const auto between = [](const Reading& a, const Reading& b) {
    return Watts{(b.energy - a.energy).value / std::chrono::duration<double>(b.at - a.at).count()};
  };
  if (first_step_ && last_step_->at > first_step_->at) {
    return between(*first_step_, *last_step_);
  }
  if (first_step_ && previous_->at - first_->at >= kLong) {
    return between(*first_, *previous_);
  }
  return std::nullopt;
}

}  // namespace tilecast
