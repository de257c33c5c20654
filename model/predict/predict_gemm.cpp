#include "model/predict/predict_gemm.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "model/analytic/closed_form.h"
#include "model/base/error.h"
#include "model/base/parallel.h"
#include "model/clock/clock.h"
#include "model/predict/candidates.h"
#include "model/predict/chip_work.h"
#include "model/predict/corrected.h"
#include "model/predict/fastest.h"
#include "model/predict/legality.h"
#include "model/predict/outside_bytes.h"
#include "model/predict/retime.h"
#include "model/predict/settled_clock.h"
#include "model/predict/simulated_gemm.h"
#include "model/tile/kernel_config_text.h"

namespace tilecast {
namespace {

// Candidates by closed form for each one to simulate, of which some repeat others' simulations.
constexpr std::size_t kLookedThrough = 2;
// Corrected candidates from which the fastest are taken: of whole groups of rasters, those whose
// best order of tiles is fastest once corrected.
constexpr std::size_t kCorrected = 256;
// Bounds are lowered by what the search for the clock may leave.
constexpr double kBoundSlack = 1 - 10 * kClockSettled;

void require_solvable(const GemmProblem& problem) {
  if (const std::string why = why_not_solvable(problem); !why.empty()) {
    throw ConfigError(fmt::format("{}: {}", to_text(problem.shape), why));
  }
}

Prediction predict_work(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                        const GemmWork& work, Regime regime, Inputs inputs) {
  const Flops flops{gemm_flops(problem.shape)};
  const auto [form, clock] = settled_clock(*gpu.clock, gpu.clock->tensor_plateau, [&](Hertz f) {
    const ClosedForm at = closed_form(gpu, problem, config, work, f);
    const ChipWork done = chip_work(gpu, problem, config, work, at.cycles);
    return Settled<ClosedForm>{at, sm_clock(gpu, done, regime, inputs)};
  });
  const Seconds time = time_of(form.cycles, clock.sm_clock);
  const Bytes l2_to_sm = work.traffic.l2_to_sm + outside_bytes(problem, config);
  Prediction p{.config = config,
               .method = Method::kAnalytic,
               .cycles = form.cycles,
               .sm_clock = clock.sm_clock,
               .time = time,
               .closed_form_time = time,
               .tflops = flops.value / time.value * 1e-12,
               .power = clock.power,
               .limiter = form.limiter,
               .shares = form.shares,
               .l2_to_sm = l2_to_sm,
               .dram_read = work.traffic.dram_read,
               .dram_write = work.traffic.dram_write,
               .l2_hit_rate = 1 - work.traffic.dram_read / l2_to_sm};
  set_default_interval(gpu, p);
  return p;
}

/// By closed form with the calibration's correction, where there is one.
Prediction corrected_work(const GpuSpec& gpu, const GemmProblem& problem,
                          const KernelConfig& config, const GemmWork& work, Prediction p,
                          Regime regime, Inputs inputs) {
  if (gpu.correction == nullptr || uses_tcgen05(config.schedule)) {
    return p;
  }
  const auto form = [&](Hertz f) { return closed_form(gpu, problem, config, work, f); };
  const Physics physics{
      .cycles = [&](Hertz f) { return form(f).cycles; },
      .work = [&](Cycles cycles) { return chip_work(gpu, problem, config, work, cycles); },
      .phases = {},
      .features =
          [&](Hertz f) {
            return correction_features(problem, config, work, form(f), f, Cycles{}, regime);
          }};
  apply_correction(gpu, gpu.correction->analytic, config.schedule, regime, inputs, physics, p);
  p.closed_form_time = p.time;
  return p;
}

/// Neighbours in the list of candidates that are one kernel in different orders of its tiles.
struct RasterGroup {
  std::size_t begin, end;
  Seconds bound;  // none of them is faster; corrected, what its best order would take
};

std::vector<RasterGroup> raster_groups(const std::vector<KernelConfig>& legal) {
  std::vector<RasterGroup> groups;
  for (std::size_t i = 0; i < legal.size(); ++i) {
    KernelConfig same = legal[i];
    if (i > 0) {
      same.raster = legal[i - 1].raster;
    }
    if (i > 0 && same == legal[i - 1]) {
      groups.back().end = i + 1;
    } else {
      groups.push_back({i, i + 1, {}});
    }
  }
  return groups;
}

void sort_by_bound(std::vector<RasterGroup>& groups) {
  std::stable_sort(groups.begin(), groups.end(),
                   [](const RasterGroup& a, const RasterGroup& b) { return a.bound < b.bound; });
}

/// A problem and what is asked about it.
struct Question {
  const GpuSpec& gpu;
  const GemmProblem& problem;
  Regime regime;
  Inputs inputs;
};

/// By closed form; exactly the fastest.
std::vector<Prediction> fastest_by_physics(const Question& q,
                                           const std::vector<KernelConfig>& legal,
                                           std::size_t keep) {
  std::vector<RasterGroup> groups = raster_groups(legal);
  for (RasterGroup& group : groups) {
    const KernelConfig& kernel = legal[group.begin];
    const GemmWork least = least_gemm_work(q.gpu, q.problem, kernel);
    group.bound =
        predict_work(q.gpu, q.problem, kernel, least, q.regime, q.inputs).time * kBoundSlack;
  }
  sort_by_bound(groups);
  TrafficMemo traffic(*q.gpu.l2, q.problem);
  Fastest fastest(keep);
  for (const RasterGroup& group : groups) {
    if (fastest.none_after(group.bound)) {
      break;
    }
    for (std::size_t i = group.begin; i < group.end; ++i) {
      const GemmWork work = gemm_work(q.gpu, q.problem, legal[i], traffic);
      fastest.add(predict_work(q.gpu, q.problem, legal[i], work, q.regime, q.inputs), i);
    }
  }
  return fastest.take();
}

/// The same with the calibration's correction, which no bound of the physics holds: orders of tiles
/// are looked at only in the groups whose best order is fast.
std::vector<Prediction> fastest_corrected(const Question& q, const std::vector<KernelConfig>& legal,
                                          std::size_t keep, unsigned threads) {
  const auto predict = [&q](const KernelConfig& kernel, const GemmWork& work) {
    return corrected_work(q.gpu, q.problem, kernel, work,
                          predict_work(q.gpu, q.problem, kernel, work, q.regime, q.inputs),
                          q.regime, q.inputs);
  };
  std::vector<RasterGroup> groups = raster_groups(legal);
  parallel_for(groups.size(), threads, [&](std::size_t i) {
    const KernelConfig& kernel = legal[groups[i].begin];
    groups[i].bound = predict(kernel, least_gemm_work(q.gpu, q.problem, kernel)).time;
  });
  sort_by_bound(groups);
  TrafficMemo traffic(*q.gpu.l2, q.problem);
  Fastest fastest(keep);
  std::size_t tried = 0;
  for (const RasterGroup& group : groups) {
    if (tried >= kCorrected && fastest.none_after(group.bound)) {
      break;
    }
    for (std::size_t i = group.begin; i < group.end; ++i, ++tried) {
      fastest.add(predict(legal[i], gemm_work(q.gpu, q.problem, legal[i], traffic)), i);
    }
  }
  return fastest.take();
}

}  // namespace

Prediction predict_gemm(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                        Regime regime, Inputs inputs, Method method) {
  require_solvable(problem);
  if (const Refusal refusal = check_legal(gpu, problem, config); refusal != Refusal::kNone) {
    throw ConfigError(fmt::format("{} cannot run {} in layout {}: {}", gpu.name, to_text(config),
                                  to_text(problem.layout),
                                  describe_refusal(refusal, gpu, problem, config)));
  }
  TrafficMemo traffic(*gpu.l2, problem);
  const GemmWork work = gemm_work(gpu, problem, config, traffic);
  const Prediction analytic =
      corrected_work(gpu, problem, config, work,
                     predict_work(gpu, problem, config, work, regime, inputs), regime, inputs);
  return method == Method::kSimulated && can_simulate(gpu, config)
             ? simulated_prediction(gpu, problem, analytic, regime, inputs)
             : analytic;
}

Ranking rank_gemms(const GpuSpec& gpu, const GemmProblem& problem,
                   const std::vector<Schedule>& schedules, Regime regime, Inputs inputs,
                   std::size_t keep, Effort effort) {
  require_solvable(problem);
  Candidates candidates = enumerate_candidates(gpu, problem, schedules);
  if (candidates.legal.empty()) {
    std::string reasons;
    for (const auto& [reason, count] : candidates.rejected) {
      reasons += fmt::format("{}{} {}", reasons.empty() ? "; refused " : ", ", reason, count);
    }
    throw ConfigError(fmt::format("{}: no candidate is legal on {}{}", to_text(problem.shape),
                                  gpu.name, reasons));
  }
  const bool simulates = effort.method == Method::kSimulated;
  const std::size_t look = simulates ? std::max(keep, effort.simulations * kLookedThrough) : keep;
  const Question question{gpu, problem, regime, inputs};
  const int count = static_cast<int>(candidates.legal.size());
  Ranking ranking{problem,
                  regime,
                  inputs,
                  count,
                  std::move(candidates.rejected),
                  gpu.correction != nullptr
                      ? fastest_corrected(question, candidates.legal, look, effort.threads)
                      : fastest_by_physics(question, candidates.legal, look)};
  if (simulates) {
    simulate_best(gpu, effort, ranking);
  }
  ranking.predictions.resize(std::min(keep, ranking.predictions.size()));
  return ranking;
}

}  // namespace tilecast
