#include "model/clock/phase_clock.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace tilecast {
namespace {

ChipWork work_of(const ChipWork& whole, const PhaseShares& phase) {
  ChipWork part = whole;
  part.tensor = whole.tensor * phase.tensor;
  part.out_of_bounds = whole.out_of_bounds * phase.tensor;
  part.promoted = whole.promoted * phase.tensor;
  part.shared_memory = whole.shared_memory * phase.shared_memory;
  part.l2 = whole.l2 * phase.l2;
  part.dram = whole.dram * phase.dram;
  part.elapsed = whole.elapsed * phase.time;
  return part;
}

/// Returns a x + b y, for each part.
CycleEnergy sum(double a, const CycleEnergy& x, double b, const CycleEnergy& y) {
  return {x.scaled * a + y.scaled * b, x.fixed * a + y.fixed * b};
}

struct FilteredPhase {
  CycleEnergy own;
  Seconds length;
  CycleEnergy seen;  // energy that the limiter sees, averaged over the phase
};

double left_after(const ClockSpec& clock, const FilteredPhase& phase) {
  return clock.limiter.value > 0 ? std::exp(-phase.length.value / clock.limiter.value) : 0;
}

/// Computes the state of the filter at the start of a run that repeats forever.
CycleEnergy at_begin(const ClockSpec& clock, const std::vector<FilteredPhase>& phases) {
  double left = 1;  // remaining fraction of the initial state
  CycleEnergy gained{};
  for (const FilteredPhase& phase : phases) {
    const double a = left_after(clock, phase);
    left *= a;
    gained = sum(a, gained, 1 - a, phase.own);
  }
  return sum(1 / (1 - left), gained, 0, {});
}

/// Computes the power that the limiter sees in each phase.
void filter(const ClockSpec& clock, std::vector<FilteredPhase>& phases) {
  CycleEnergy held = at_begin(clock, phases);
  for (FilteredPhase& phase : phases) {
    const double a = left_after(clock, phase);
    // Mean of an exponential decay from 1 to a.
    const double mean = a > 0 && a < 1 ? (a - 1) / std::log(a) : a;
    phase.seen = sum(1 - mean, phase.own, mean, held);
    held = sum(1 - a, phase.own, a, held);
  }
}

/// Computes the mean power of a run with these clocks in its phases.
Watts mean_power(const GpuSpec& gpu, const std::vector<FilteredPhase>& phases,
                 std::span<const PhaseShares> shares, const std::vector<Hertz>& clocks,
                 Hertz most) {
  double joules = 0, time = 0;  // energy and time per cycle of the kernel
  for (std::size_t i = 0; i < phases.size(); ++i) {
    const Hertz f = std::min(clocks[i], most);
    const double length = shares[i].time / f.value;
    joules += power_at(gpu, phases[i].own, f).value * length;
    time += length;
  }
  return {joules / time};
}

/// Finds the upper limit on every phase's clock that keeps the mean power within `limit`.
Hertz cap(const GpuSpec& gpu, const std::vector<FilteredPhase>& phases,
          std::span<const PhaseShares> shares, const std::vector<Hertz>& clocks, Watts limit) {
  constexpr int kHalvings = 20;  // bisection steps: resolves 2 GHz to within 2 kHz
  Hertz high = *std::ranges::max_element(clocks);
  if (mean_power(gpu, phases, shares, clocks, high) <= limit) {
    return high;
  }
  Hertz low{0};
  for (int i = 0; i < kHalvings; ++i) {
    const Hertz middle = (low + high) / 2;
    (mean_power(gpu, phases, shares, clocks, middle) <= limit ? low : high) = middle;
  }
  return low;
}

}  // namespace

PhasedClock phase_clock(const GpuSpec& gpu, const ChipWork& whole,
                        std::span<const PhaseShares> shares, Regime regime, Inputs inputs) {
  const ClockState mean = sm_clock(gpu, whole, regime, inputs);
  if (shares.size() <= 1) {
    return {mean, std::vector<ClockState>(shares.size(), mean)};
  }
  std::vector<FilteredPhase> phases;
  for (const PhaseShares& share : shares) {
    const ChipWork work = work_of(whole, share);
    phases.push_back({cycle_energy(gpu, work, inputs), time_of(work.elapsed, mean.sm_clock), {}});
  }
  filter(*gpu.clock, phases);

  const Hertz most = highest_clock(gpu, whole);
  std::vector<Hertz> clocks;
  for (const FilteredPhase& phase : phases) {
    clocks.push_back(held_to(gpu, phase.seen, gpu.power->burst_limit, most));
  }
  const Hertz capped = regime == Regime::kSustained
                           ? cap(gpu, phases, shares, clocks, gpu.power->sustained_limit)
                           : most;
  PhasedClock found;
  std::array<Seconds, 4> limited{};  // time by limiter
  double time = 0;                   // per cycle of the kernel
  for (std::size_t i = 0; i < phases.size(); ++i) {
    ClockState state{std::min(clocks[i], capped), {}, ClockLimiter::kBurstPower};
    if (capped < clocks[i]) {
      state.limiter = ClockLimiter::kSustainedPower;
    } else if (clocks[i] == most) {
      state.limiter =
          most < gpu.clock->max ? ClockLimiter::kTensorPlateau : ClockLimiter::kHighestClock;
    }
    state.power = power_at(gpu, phases[i].own, state.sm_clock);
    const double length = shares[i].time / state.sm_clock.value;
    time += length;
    limited[static_cast<std::size_t>(state.limiter)] += Seconds{length};
    found.phases.push_back(state);
  }
  found.kernel = {Hertz{1 / time}, mean_power(gpu, phases, shares, clocks, capped),
                  static_cast<ClockLimiter>(std::ranges::max_element(limited) - limited.begin())};
  return found;
}

PhasedClock clock_of(const GpuSpec& gpu, const KernelActivity& kernel, Cycles cycles, Regime regime,
                     Inputs inputs) {
  return phase_clock(gpu, kernel.work_in(cycles), kernel.phases, regime, inputs);
}

}  // namespace tilecast
