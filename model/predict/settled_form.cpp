#include "model/predict/settled_form.h"

#include "model/predict/chip_work.h"

namespace tilecast {

Settled<ClosedForm> settled_form(const GpuSpec& gpu, const GemmProblem& problem,
                                 const KernelConfig& config, const GemmWork& work, Regime regime,
                                 Inputs inputs) {
  return settled_clock(*gpu.clock, gpu.clock->tensor_plateau, [&](Hertz f) {
    const ClosedForm at = closed_form(gpu, problem, config, work, f);
    const ChipWork done = chip_work(gpu, problem, config, work, at.cycles);
    return Settled<ClosedForm>{at, sm_clock(gpu, done, regime, inputs)};
  });
}

}  // namespace tilecast
