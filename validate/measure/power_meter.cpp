#include "validate/measure/power_meter.h"

namespace tilecast {

void PowerMeter::read(std::optional<Joules> energy, Clock::time_point at) {
  if (energy && previous_ && *energy > *previous_) {
    last_ = Step{at, *energy};
    first_ = first_ ? first_ : last_;
  }
  previous_ = energy;
}

std::optional<Watts> PowerMeter::mean() const {
  if (!first_ || last_->at <= first_->at) {
    return std::nullopt;
  }
  const double seconds = std::chrono::duration<double>(last_->at - first_->at).count();
  return Watts{(last_->energy - first_->energy).value / seconds};
}

}  // namespace tilecast
