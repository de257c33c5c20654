// The SM clock that a kernel's energy leaves it, and the power it draws.
//
//   P(f) = P_static + f * (E * (f / f_ref)^gamma + E_dram)
// E is the energy of one SM cycle of the whole chip at the reference clock, from the kernel's own
// work: FLOPs (by input data), bytes of shared memory and L2, SM cycles awake. E_dram, of the DRAM
// bytes of that cycle, does not follow the SM clock. Any tensor work takes the clock down to a
// plateau. Burst: a fast limiter holds P to burst_limit. Sustained: to sustained_limit too.
//
// Leaves out: attack and release of the limiter (kernels shorter than 0.2 ms), phases within a
// kernel, temperature. Checked by: clock_test.cpp; the clocks of committed H200 rows (validate).
#pragma once

#include <string_view>

#include "model/base/units.h"
#include "model/spec/gpu_spec.h"
#include "model/tile/regime.h"

namespace tilecast {

/// Work of one kernel run over the whole chip.
struct ChipWork {
  Flops tensor;
  Bytes shared_memory, l2, dram;
  Cycles elapsed;  // of the kernel; every SM is awake for them
};

/// What keeps the clock where it is.
enum class ClockLimiter {
  kHighestClock,
  kTensorPlateau,
  kBurstPower,      // the fast limiter
  kSustainedPower,  // the cap
};

std::string_view to_text(ClockLimiter limiter);

struct ClockState {
  Hertz sm_clock;
  Watts power;
  ClockLimiter limiter;
};

ClockState sm_clock(const GpuSpec& gpu, const ChipWork& work, Regime regime, Inputs inputs);

/// Where the energy of one kernel run goes.
struct EnergySplit {
  Joules tensor, shared_memory, l2, dram;
  Joules sm_cycles;  // SMs that are awake
  Joules idle;       // static power over the kernel's time

  Joules total() const { return tensor + shared_memory + l2 + dram + sm_cycles + idle; }
};

EnergySplit energy_split(const GpuSpec& gpu, const ChipWork& work, Hertz sm_clock, Inputs inputs);

}  // namespace tilecast
