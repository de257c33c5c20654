#include "model/gemm/predict/learned_reasons.h"

#include "model/gemm/predict/gemm_form.h"
#include "model/gemm/predict/kernel_features.h"
#include "model/gemm/problem/swapped_operands.h"

namespace tilecast {

LearnedReasons learned_reasons(const GpuSpec& gpu, const GemmProblem& asked,
                               const Prediction& predicted, Regime regime, std::size_t most) {
  const std::optional<LearnedPart> learned = learned_part(gpu, predicted.method);
  if (!learned) {
    return {};
  }
  const KernelConfig config = for_operands(asked.dtype, std::get<KernelConfig>(predicted.config));
  const GemmProblem problem = as_run(asked, config);
  const GemmWork work = gemm_work(gpu, problem, config);
  const GemmForm kernel = gemm_form({gpu, asked, regime, Inputs::kNormal}, config, work);
  // Ratio of the prediction's simulated cycles to analytic cycles at the same clock.
  const double over = predicted.cycles /
                      closed_form(gpu, problem, config, work, predicted.sm_clock).cycles /
                      predicted.cycles_correction;
  const SimulatedWork simulated{kernel.form.cycles * over, predicted.l2_output,
                                predicted.dram_read + predicted.dram_write, predicted.shares};
  return learned->reasons(
      kernel_features(
          gpu, problem, config, work, kernel.form, kernel.clock.sm_clock,
          predicted.method == Method::kSimulated ? std::optional(simulated) : std::nullopt, regime),
      most);
}

}  // namespace tilecast
