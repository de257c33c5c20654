#include "model/predict/learned_reasons.h"

#include "model/predict/chip_work.h"
#include "model/predict/settled_clock.h"

namespace tilecast {

std::vector<LearnedReason> learned_reasons(const GpuSpec& gpu, const GemmProblem& problem,
                                           const Prediction& predicted, Regime regime,
                                           std::size_t most) {
  const std::optional<LearnedPart> learned = learned_part(gpu, predicted.method);
  if (!learned) {
    return {};
  }
  const KernelConfig& config = std::get<KernelConfig>(predicted.config);
  TrafficMemo traffic(*gpu.l2, problem);
  const GemmWork work = gemm_work(gpu, problem, config, traffic);
  const auto closed = [&](Hertz f) { return closed_form(gpu, problem, config, work, f); };
  const auto settled = settled_clock(*gpu.clock, gpu.clock->tensor_plateau, [&](Hertz f) {
    const ClosedForm at = closed(f);
    return Settled<ClosedForm>{at, sm_clock(gpu, chip_work(gpu, problem, config, work, at.cycles),
                                            regime, Inputs::kNormal)};
  });
  // The simulation as the prediction had it, over the closed form at the same clock.
  const double over =
      predicted.cycles / closed(predicted.sm_clock).cycles / predicted.cycles_correction;
  const Cycles simulated =
      predicted.method == Method::kSimulated ? settled.form.cycles * over : Cycles{};
  return learned->reasons(kernel_features(gpu, problem, config, work, settled.form,
                                          settled.clock.sm_clock, simulated, regime),
                          most);
}

}  // namespace tilecast
