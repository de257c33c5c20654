#include "model/predict/by_closed_form.h"

#include "model/predict/chip_work.h"
#include "model/predict/outside_bytes.h"
#include "model/predict/retime.h"
#include "model/tile/fp8_pairs.h"

namespace tilecast {
namespace {

/// By closed form, physics alone.
Prediction by_physics(const GemmQuestion& q, const GemmForm& kernel) {
  const GemmTraffic& traffic = kernel.work.traffic;
  const Bytes l2_to_sm = traffic.l2_to_sm + outside_bytes(q.problem, kernel.config);
  Prediction p{.config = kernel.config,
               .method = Method::kAnalytic,
               .bounds = hard_bounds(q.gpu, q.problem, kernel.config),
               .cycles = kernel.form.cycles,
               .sm_clock = kernel.clock.sm_clock,
               .time = kernel.time,
               .tflops = gemm_flops(q.problem) / kernel.time.value * 1e-12,
               .power = kernel.clock.power,
               .limiter = kernel.form.limiter,
               .shares = kernel.form.shares,
               .l2_to_sm = l2_to_sm,
               .dram_read = traffic.dram_read,
               .dram_write = traffic.dram_write,
               .l2_hit_rate = 1 - traffic.dram_read / l2_to_sm};
  set_default_interval(q.gpu, p);
  retime(p.cycles, kernel.clock, p);
  p.closed_form_time = p.time;
  return p;
}

}  // namespace

std::vector<GemmCandidate> by_closed_form(const GemmQuestion& q, std::span<const GemmForm> kernels,
                                          const std::optional<LearnedPart>& learned) {
  std::vector<GemmCandidate> candidates;
  std::vector<KernelFeatures> features;
  for (const GemmForm& kernel : kernels) {
    candidates.push_back({kernel, by_physics(q, kernel)});
    if (learned) {
      const auto [form, clock] = form_on_normal_data(q, kernel);
      features.push_back(kernel_features(q.gpu, q.problem, kernel.config, kernel.work, form, clock,
                                         Cycles{}, q.regime));
    }
  }
  const std::vector<Learned> answers = learned ? learned->of(features) : std::vector<Learned>{};
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto& [config, work, form, clock, time] = kernels[i];
    const Physics physics{
        .cycles = [&](Hertz f) { return closed_form(q.gpu, q.problem, config, work, f).cycles; },
        .work = [&](Cycles in) { return chip_work(q.gpu, q.problem, config, work, in); },
        .phases = {}};
    Prediction& p = candidates[i].prediction;
    apply_learned(q.gpu, answers[i], q.regime, q.inputs, physics, p);
    p.closed_form_time = p.time;
    p.extrapolated |= never_learned(q.problem);
  }
  return candidates;
}

}  // namespace tilecast
