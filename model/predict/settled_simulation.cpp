#include "model/predict/settled_simulation.h"

#include "model/predict/retime.h"

namespace tilecast {

Prediction with_simulation(const GpuSpec& gpu, const Prediction& analytic,
                           const SettledSimulation& s) {
  Prediction p = analytic;
  p.method = Method::kSimulated;
  retime(s.cycles, s.clock, p);
  set_default_interval(gpu, p);
  p.l2_to_sm = s.kernel.l2_to_sm;
  p.dram_read = s.kernel.dram_read;
  p.dram_write = s.kernel.dram_write;
  p.shares.l2 = s.kernel.l2_share;
  p.shares.dram = s.kernel.dram_share;
  p.l2_hit_rate = 1 - p.dram_read / p.l2_to_sm;
  return p;
}

}  // namespace tilecast
