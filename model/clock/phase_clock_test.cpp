#include "model/clock/phase_clock.h"

#include <cmath>

#include "model/spec/load_gpu.h"
#include "tests/catch.h"

namespace tilecast {
namespace {

GpuSpec h200() {
  GpuSpec gpu = load_gpu("h200_sxm", false).spec;
  gpu.clock->limiter = {20e-6};
  return gpu;
}

/// Work that keeps the tensor pipes near their peak, with L2 traffic that exceeds burst_limit at
/// the plateau.
ChipWork busy(double cycles) {
  return {.tensor = Flops{132.0 * 4096 * 0.8 * cycles},
          .shared_memory = Bytes{132.0 * 70 * cycles},
          .l2 = Bytes{4e3 * cycles},
          .dram = Bytes{300 * cycles},
          .elapsed = Cycles{cycles}};
}

/// Most of the work happens in the first half of the run.
const std::vector<PhaseShares> kFrontHeavy{{0.5, 0.75, 0.75, 0.75, 0.75},
                                           {0.5, 0.25, 0.25, 0.25, 0.25}};

ChipWork part(const ChipWork& whole, double time, double work) {
  ChipWork p = whole;
  p.tensor = whole.tensor * work;
  p.shared_memory = whole.shared_memory * work;
  p.l2 = whole.l2 * work;
  p.dram = whole.dram * work;
  p.elapsed = whole.elapsed * time;
  return p;
}

TEST_CASE("A kernel of one phase has the clock of its mean energy") {
  const GpuSpec gpu = h200();
  const ChipWork work = busy(1e6);
  for (const Regime regime : {Regime::kBurst, Regime::kSustained}) {
    const ClockState mean = sm_clock(gpu, work, regime, Inputs::kNormal);
    REQUIRE(mean.sm_clock < gpu.clock->tensor_plateau);
    const PhasedClock none = phase_clock(gpu, work, {}, regime, Inputs::kNormal);
    CHECK(none.kernel.sm_clock == mean.sm_clock);
    CHECK(none.phases.empty());
    // Two equal halves are one phase.
    const std::vector<PhaseShares> halves(2, PhaseShares{0.5, 0.5, 0.5, 0.5, 0.5});
    const PhasedClock two = phase_clock(gpu, work, halves, regime, Inputs::kNormal);
    CHECK(two.kernel.sm_clock / mean.sm_clock == Approx(1).epsilon(1e-5));
    CHECK(two.kernel.power / mean.power == Approx(1).epsilon(1e-4));
    CHECK(two.kernel.limiter == mean.limiter);
    CHECK(two.phases.size() == 2);
  }
}

TEST_CASE("A kernel much shorter than the filter has the clock of its mean energy") {
  const GpuSpec gpu = h200();
  const ChipWork work = busy(100);  // 60 ns
  const PhasedClock clock = phase_clock(gpu, work, kFrontHeavy, Regime::kBurst, Inputs::kNormal);
  const Hertz mean = sm_clock(gpu, work, Regime::kBurst, Inputs::kNormal).sm_clock;
  CHECK(clock.kernel.sm_clock / mean == Approx(1).epsilon(1e-3));
  CHECK(clock.phases[0].sm_clock / clock.phases[1].sm_clock == Approx(1).epsilon(2e-3));
}

TEST_CASE("In a kernel much longer than the filter each phase has its own clock") {
  const GpuSpec gpu = h200();
  const ChipWork work = busy(1e9);  // 0.6 s
  const PhasedClock clock = phase_clock(gpu, work, kFrontHeavy, Regime::kBurst, Inputs::kNormal);
  const auto own = [&](double share) {
    return sm_clock(gpu, part(work, 0.5, share), Regime::kBurst, Inputs::kNormal).sm_clock;
  };
  CHECK(clock.phases[0].sm_clock / own(0.75) == Approx(1).epsilon(1e-3));
  CHECK(clock.phases[1].sm_clock / own(0.25) == Approx(1).epsilon(1e-3));
  // The mean clock is cycles over time.
  const double time = 0.5 / clock.phases[0].sm_clock.value + 0.5 / clock.phases[1].sm_clock.value;
  CHECK(clock.kernel.sm_clock.value == Approx(1 / time));
  CHECK(clock.phases[0].limiter == ClockLimiter::kBurstPower);
  CHECK(clock.phases[1].limiter == ClockLimiter::kTensorPlateau);
}

TEST_CASE("One time constant after a step the filter has followed 63 % of it") {
  // Without voltage scaling and static power, clock x filtered energy = limit. A kernel has ten
  // time constants at energy 1, then ten at 3, then a thin phase at 3, where the filtered energy is
  // 3. In the first thin phase after the step it is 1; one time constant later it is 3 - 2 / e.
  GpuSpec gpu = h200();
  gpu.clock->energy_exponent = 0;
  gpu.clock->tensor_plateau = {1e10};
  gpu.power->static_power = {};
  gpu.power->per_shared_memory_byte = gpu.power->per_l2_byte = gpu.power->per_dram_byte = {};
  gpu.power->per_flop_normal = {1e-12};
  gpu.power->burst_limit = {1000};
  // The kernel takes 20 time constants of 20 us at the mean clock of 0.5 GHz. Its mean energy is
  // two units of 1 uJ per cycle, or 1e6 FLOPs. The clock at filtered energy e is 1 GHz / e.
  const double cycles = 20 * 20e-6 * 0.5e9;
  ChipWork work{Flops{2e6 * cycles}, {}, {}, {}, Cycles{cycles}};
  const double thin = 1e-6;
  const auto share = [&](double time, double energy) {
    return PhaseShares{time, time * energy / 2, 0, 0, 0};
  };
  const std::vector<PhaseShares> phases{share(0.5, 1), share(thin, 3), share(0.05 - thin, 3),
                                        share(thin, 3), share(0.45 - thin, 3)};
  const PhasedClock clock = phase_clock(gpu, work, phases, Regime::kBurst, Inputs::kNormal);
  const auto seen = [&](std::size_t i) { return 1e9 / clock.phases[i].sm_clock.value; };
  CHECK(seen(1) == Approx(1).epsilon(1e-3));
  CHECK(seen(3) == Approx(3 - 2 / std::exp(1)).epsilon(1e-3));
}

TEST_CASE("Runs repeat: a phase at the end affects the start of the next run") {
  GpuSpec gpu = h200();
  // The work takes 100 us. The first tenth is the same; the heavy work comes either right before or
  // right after it.
  const ChipWork work = busy(1.6e5);
  const std::vector<PhaseShares> heavy_last{
      {0.2, 0.1, 0.1, 0.1, 0.1}, {0.4, 0.2, 0.2, 0.2, 0.2}, {0.4, 0.7, 0.7, 0.7, 0.7}};
  const std::vector<PhaseShares> heavy_second{
      {0.2, 0.1, 0.1, 0.1, 0.1}, {0.4, 0.7, 0.7, 0.7, 0.7}, {0.4, 0.2, 0.2, 0.2, 0.2}};
  const auto first = [&](const std::vector<PhaseShares>& phases) {
    return phase_clock(gpu, work, phases, Regime::kBurst, Inputs::kNormal).phases[0].power.value;
  };
  gpu.clock->tensor_plateau = {3e9};  // high enough not to limit
  CHECK(first(heavy_last) < first(heavy_second));
}

TEST_CASE(
    "Under sustained load the mean power of a run is the cap, and no phase exceeds the burst "
    "limit") {
  const GpuSpec gpu = h200();
  for (const double cycles : {1e4, 1e6, 1e8}) {
    const ChipWork work = busy(cycles);
    const PhasedClock burst = phase_clock(gpu, work, kFrontHeavy, Regime::kBurst, Inputs::kNormal);
    const PhasedClock sustained =
        phase_clock(gpu, work, kFrontHeavy, Regime::kSustained, Inputs::kNormal);
    CHECK(sustained.kernel.power.value == Approx(gpu.power->sustained_limit.value).epsilon(1e-4));
    CHECK(sustained.kernel.limiter == ClockLimiter::kSustainedPower);
    CHECK(sustained.kernel.sm_clock < burst.kernel.sm_clock);
    double joules = 0, time = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(sustained.phases[i].sm_clock <= burst.phases[i].sm_clock);
      const double length = 0.5 * cycles / sustained.phases[i].sm_clock.value;
      joules += sustained.phases[i].power.value * length;
      time += length;
    }
    CHECK(sustained.kernel.power.value == Approx(joules / time));
  }
}

TEST_CASE("Uneven energy never lets a kernel near the limit run faster") {
  // Below the plateau throughout, time is convex in energy. Near the plateau it is not: only the
  // heavy half slows down.
  const GpuSpec gpu = h200();
  const ChipWork whole = busy(1e8);
  bool reached = false;
  for (double share = 1; share > 0 && !reached; share -= 0.02) {
    ChipWork work = whole;
    work.tensor = work.tensor * share;
    const Hertz mean = sm_clock(gpu, work, Regime::kBurst, Inputs::kNormal).sm_clock;
    const Hertz uneven =
        phase_clock(gpu, work, kFrontHeavy, Regime::kBurst, Inputs::kNormal).kernel.sm_clock;
    CHECK(uneven.value <= mean.value * 1.0001);
    reached = mean == gpu.clock->tensor_plateau;
    CHECK((!reached || uneven < mean));
  }
  CHECK(reached);
}

TEST_CASE("Without a filter each phase is independent") {
  GpuSpec gpu = h200();
  gpu.clock->limiter = {};
  const ChipWork work = busy(1000);
  const PhasedClock clock = phase_clock(gpu, work, kFrontHeavy, Regime::kBurst, Inputs::kNormal);
  const Hertz own = sm_clock(gpu, part(work, 0.5, 0.75), Regime::kBurst, Inputs::kNormal).sm_clock;
  CHECK(clock.phases[0].sm_clock / own == Approx(1).epsilon(1e-6));
}

}  // namespace
}  // namespace tilecast
