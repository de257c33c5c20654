#include "model/predict/settled_simulation.h"

namespace tilecast {

Prediction with_simulation(const GpuSpec& gpu, const Prediction& analytic,
                           const SettledSimulation& s) {
  Prediction p = analytic;
  p.method = Method::kSimulated;
  p.cycles = s.cycles;
  p.sm_clock = s.clock.sm_clock;
  p.power = s.clock.power;
  p.time = time_of(s.cycles, s.clock.sm_clock);
  p.interval_low = p.time * (1 - gpu.default_interval);
  p.interval_high = p.time * (1 + gpu.default_interval);
  p.l2_to_sm = s.kernel.l2_to_sm;
  p.dram_read = s.kernel.dram_read;
  p.dram_write = s.kernel.dram_write;
  p.l2_hit_rate = 1 - p.dram_read / p.l2_to_sm;
  return p;
}

}  // namespace tilecast
