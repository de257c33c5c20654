#include "model/gemm/predict/by_closed_form.h"

#include "model/gemm/form/gemm_bounds.h"
#include "model/gemm/predict/kernel_activity.h"
#include "model/gemm/predict/kernel_features.h"
#include "model/gemm/predict/like_questions.h"
#include "model/gemm/predict/outside_bytes.h"
#include "model/gemm/problem/swapped_operands.h"
#include "model/rank/bottleneck.h"
#include "model/rank/retime.h"

namespace tilecast {
namespace {

/// Analytic prediction without the learned correction.
Prediction by_physics(const GemmQuestion& q, const GemmForm& kernel) {
  const GemmTraffic& traffic = kernel.work.traffic;
  const GemmProblem problem = as_run(q.problem, kernel.config);
  Prediction p{.config = kernel.config,
               .bounds = hard_bounds(q.gpu, problem, kernel.config),
               .cycles = kernel.form.cycles,
               .limiter = kernel.form.limiter,
               .shares = kernel.form.shares,
               .l2_to_sm = traffic.l2_to_sm + outside_bytes(problem, kernel.config)};
  set_dram_bytes(q.gpu, traffic.dram_read, traffic.dram_write, p);
  settle(q.gpu, kernel.clock, p);
  return p;
}

/// Applies the learned correction to each kernel, without bounds from similar problems.
std::vector<Prediction> as_learned(const GemmQuestion& q, std::span<const GemmForm> kernels,
                                   const std::optional<LearnedPart>& learned) {
  std::vector<Prediction> predictions;
  std::vector<KernelFeatures> features;
  for (const GemmForm& kernel : kernels) {
    predictions.push_back(by_physics(q, kernel));
    if (learned) {
      features.push_back(closed_features(q, kernel));
    }
  }
  const std::vector<Learned> answers = learned ? learned->of(features) : std::vector<Learned>{};
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto& [config, work, form, clock, time] = kernels[i];
    const GemmProblem problem = as_run(q.problem, config);
    Prediction& p = predictions[i];
    apply_learned(
        q.gpu, answers[i], q.regime, q.inputs, kernel_activity(q.gpu, problem, config, work),
        [&](Hertz f) {
          const ClosedForm at = closed_form(q.gpu, problem, config, work, f);
          return UncorrectedCycles{at.cycles, at.least};
        },
        p);
  }
  return predictions;
}

}  // namespace

KernelFeatures closed_features(const GemmQuestion& q, const GemmForm& kernel) {
  const GemmForm normal = form_on_normal_data(q, kernel);
  return kernel_features(q.gpu, as_run(q.problem, kernel.config), kernel.config, kernel.work,
                         normal.form, normal.clock.sm_clock, {}, q.regime);
}

std::vector<Prediction> by_closed_form(const GemmQuestion& q, std::span<const GemmForm> kernels,
                                       const std::optional<LearnedPart>& learned) {
  std::vector<Prediction> predictions = as_learned(q, kernels, learned);
  for (std::size_t i = 0; learned && i < kernels.size(); ++i) {
    const GemmForm& kernel = kernels[i];
    const auto predict = [&](const GemmQuestion& like) {
      const GemmForm form =
          gemm_form(like, kernel.config,
                    like.problem == q.problem
                        ? kernel.work
                        : gemm_work(q.gpu, as_run(like.problem, kernel.config), kernel.config));
      return as_learned(like, {&form, 1}, learned).front();
    };
    Prediction& p = predictions[i];
    correct(bounded_by_like(q, kernel.config, p, predict), p);
    p.closed_form_time = p.time;
  }
  for (Prediction& p : predictions) {
    p.limiter = bottleneck(p.shares, p.limiter);
  }
  return predictions;
}

}  // namespace tilecast
