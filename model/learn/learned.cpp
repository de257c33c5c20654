#include "model/learn/learned.h"

#include <algorithm>
#include <cmath>

#include "model/learn/trees.h"
#include "model/rank/retime.h"
#include "model/rank/settled_clock.h"

namespace tilecast {
namespace {

constexpr double kNineOfTen = 1.645;  // standard deviations to either side of a 90 % interval
// Half a unit of the last decimal place in which ranges are written.
constexpr double kRounding = 1e-4;
constexpr double kMostOfError = 1;  // bound on the expected error of log(time)

/// Standard deviation of log time between GPUs of one model.
double spread_of_cards(const GpuSpec& gpu, Regime regime) {
  const CardSpread spread = gpu.card_spread.value_or(CardSpread{});
  return regime == Regime::kBurst ? spread.burst : spread.sustained;
}

}  // namespace

LearnedPart::LearnedPart(const LearnedModel& model, Method method)
    : model_(model),
      method_(method == Method::kSimulated ? model.by_simulation() : model.analytic) {}

bool LearnedPart::extrapolates(const KernelFeatures& kernel) const {
  for (const std::string_view kind : kernel.kinds) {
    if (std::ranges::find(model_.kinds, kind) == model_.kinds.end()) {
      return true;
    }
  }
  for (std::size_t f = 0; f < model_.scale.size(); ++f) {
    const auto& [at, width, least, most] = model_.scale[f];
    const double beyond = model_.features[f].beyond * (most - least) + kRounding;
    if (kernel.values[f] < least - beyond || kernel.values[f] > most + beyond) {
      return true;
    }
  }
  return false;
}

Learned LearnedPart::of(const KernelFeatures& kernel) const {
  const RampPositions positions(model_.scale, kernel.values);
  const auto value = [&](const LearnedSum& sum) { return value_of(sum, positions); };
  Learned learned{.cycles = bounded(value(method_.cycles), kMostOfCycles),
                  .clock = bounded(value(method_.clock), kMostOfClock),
                  .interval = {},
                  .extrapolated = extrapolates(kernel)};
  if (const double reach = method_.reach.of(kernel.limiter, kernel.kinds); reach > 0) {
    const double half = std::max(reach * std::min(std::exp(value(method_.error)), kMostOfError),
                                 learned.extrapolated ? method_.uncorrected : 0);
    learned.interval = {-half, half};
  }
  return learned;
}

std::vector<Learned> LearnedPart::of(std::span<const KernelFeatures> kernels) const {
  std::vector<Learned> learned;
  learned.reserve(kernels.size());
  for (const KernelFeatures& kernel : kernels) {
    learned.push_back(of(kernel));
  }
  return learned;
}

std::vector<LearnedContribution> LearnedPart::contributions(const KernelFeatures& kernel) const {
  const RampPositions positions(model_.scale, kernel.values);
  const auto parts_of = [&](const LearnedSum& sum) {
    std::vector<double> parts = contributions_of(sum, model_.features, positions);
    for (std::size_t i = 0; i < sum.usual.size(); ++i) {
      parts[i] -= sum.usual[i];
      parts.back() += sum.usual[i];
    }
    return parts;
  };
  const std::vector<double> cycles = parts_of(method_.cycles), clock = parts_of(method_.clock);
  std::vector<LearnedContribution> list;
  for (const std::string_view group : feature_groups(model_.features)) {
    list.push_back({group, cycles[list.size()], clock[list.size()]});
  }
  list.push_back({"all kernels", cycles.back(), clock.back()});
  std::ranges::stable_sort(list, std::ranges::greater{},
                           [](const LearnedContribution& one) { return std::abs(one.cycles); });
  return list;
}

std::optional<LearnedPart> learned_part(const GpuSpec& gpu, Method method) {
  if (gpu.learned == nullptr || gpu.architecture != Architecture::kHopper) {
    return std::nullopt;
  }
  return LearnedPart(*gpu.learned, method);
}

std::optional<LearnedPart> learned_attention(const GpuSpec& gpu) {
  return gpu.attention_learned == nullptr
             ? std::nullopt
             : std::optional<LearnedPart>(std::in_place, *gpu.attention_learned, Method::kAnalytic);
}

LearnedParts learned_parts(const GpuSpec& gpu, Method method) {
  return {learned_part(gpu, Method::kAnalytic),
          method == Method::kSimulated ? learned_part(gpu, Method::kSimulated) : std::nullopt};
}

void apply_learned(const GpuSpec& gpu, const Learned& learned, Regime regime, Inputs inputs,
                   const KernelActivity& kernel,
                   const std::function<UncorrectedCycles(Hertz)>& kernel_at, Prediction& p) {
  const double factor = std::exp(learned.cycles);
  const Hertz start = p.sm_clock;
  const auto learned_cycles = [&](Hertz f) {
    const auto [cycles, least] = kernel_at(f);
    return std::max(
        {cycles * factor, std::min(cycles, least), cycles_of(p.bounds.least_time(f), f)});
  };
  const auto settled = [&](Inputs data) {
    return settled_cycles(gpu, kernel, start, regime, data, learned_cycles).clock;
  };
  const double clock_factor = std::exp(learned.clock);
  ClockState clock = settled(Inputs::kNormal);
  clock.sm_clock = std::min(clock.sm_clock * clock_factor, gpu.clock->max);
  if (inputs != Inputs::kNormal) {  // other inputs never get a lower clock than normal data
    ClockState own = settled(inputs);
    own.sm_clock = std::max(own.sm_clock, clock.sm_clock);
    clock = own;
  }
  const Cycles cycles = learned_cycles(clock.sm_clock);
  allow_busy(time_of(cycles, clock.sm_clock) / p.time, p);
  retime(cycles, clock, p);
  set_default_interval(gpu, p);
  if (learned.interval && inputs == Inputs::kNormal) {
    const double cards = kNineOfTen * spread_of_cards(gpu, regime);
    set_interval(std::exp(-std::hypot(learned.interval->low, cards)),
                 std::exp(std::hypot(learned.interval->high, cards)), p);
  }
  p.cycles_correction = cycles / kernel_at(clock.sm_clock).cycles;
  p.clock_correction = inputs == Inputs::kNormal ? clock_factor : 1;
  p.extrapolated = learned.extrapolated;
}

}  // namespace tilecast
