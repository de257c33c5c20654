#include "model/predict/settled_form.h"

namespace tilecast {

ChipWork chip_work(const GemmProblem& problem, const GemmWork& work, Cycles cycles) {
  return {Flops{gemm_flops(problem.shape)}, work.shared_memory, work.traffic.l2_to_sm,
          work.traffic.dram_read + work.traffic.dram_write, cycles};
}

Settled<ClosedForm> settled_form(const GpuSpec& gpu, const GemmProblem& problem,
                                 const KernelConfig& config, const GemmWork& work, Regime regime,
                                 Inputs inputs) {
  return settled_clock(*gpu.clock, gpu.clock->tensor_plateau, [&](Hertz f) {
    const ClosedForm at = closed_form(gpu, problem, config, work, f);
    const ChipWork done = chip_work(problem, work, at.cycles);
    return Settled<ClosedForm>{at, sm_clock(gpu, done, regime, inputs)};
  });
}

}  // namespace tilecast
