#include "model/predict/predict_gemm.h"

#include <algorithm>
#include <queue>
#include <utility>

#include <fmt/format.h>

#include "model/analytic/closed_form.h"
#include "model/base/error.h"
#include "model/base/parallel.h"
#include "model/predict/candidates.h"
#include "model/predict/chip_work.h"
#include "model/predict/corrected.h"
#include "model/predict/fastest.h"
#include "model/predict/legality.h"
#include "model/predict/outside_bytes.h"
#include "model/predict/retime.h"
#include "model/predict/rough_time.h"
#include "model/predict/settled_form.h"
#include "model/predict/simulated_gemm.h"
#include "model/tile/kernel_config_text.h"

namespace tilecast {
namespace {

// Candidates by closed form for each one to simulate, of which some repeat others' simulations.
constexpr std::size_t kLookedThrough = 2;
// Corrected candidates that are looked at: of whole groups of rasters, those whose best order of
// tiles is fastest once corrected.
constexpr std::size_t kCorrected = 256;
// Hardly a kernel takes less than this of its rough time (rough_time_test.cpp).
constexpr double kRoughly = 0.93;
// Of so many groups one is asked for a good kernel.
constexpr std::size_t kSampled = 64;
// Bounds are lowered by what the search for the clock may leave.
constexpr double kBoundSlack = 1 - 10 * kClockSettled;

void require_solvable(const GemmProblem& problem) {
  if (const std::string why = why_not_solvable(problem); !why.empty()) {
    throw ConfigError(fmt::format("{}: {}", to_text(problem.shape), why));
  }
}

/// A problem and what is asked about it.
struct Question {
  const GpuSpec& gpu;
  const GemmProblem& problem;
  Regime regime;
  Inputs inputs;
};

/// By closed form.
Prediction predict_work(const Question& q, const KernelConfig& config, const GemmWork& work) {
  const auto [form, clock] = settled_form(q.gpu, q.problem, config, work, q.regime, q.inputs);
  const Seconds time = time_of(form.cycles, clock.sm_clock);
  const Bytes l2_to_sm = work.traffic.l2_to_sm + outside_bytes(q.problem, config);
  Prediction p{.config = config,
               .method = Method::kAnalytic,
               .cycles = form.cycles,
               .sm_clock = clock.sm_clock,
               .time = time,
               .closed_form_time = time,
               .tflops = gemm_flops(q.problem.shape) / time.value * 1e-12,
               .power = clock.power,
               .limiter = form.limiter,
               .shares = form.shares,
               .l2_to_sm = l2_to_sm,
               .dram_read = work.traffic.dram_read,
               .dram_write = work.traffic.dram_write,
               .l2_hit_rate = 1 - work.traffic.dram_read / l2_to_sm};
  set_default_interval(q.gpu, p);
  return p;
}

/// The calibration's, for the kernels that one has seen; none otherwise.
const MethodCorrection* correction_of(const GpuSpec& gpu) {
  return gpu.correction != nullptr && gpu.architecture == Architecture::kHopper
             ? &gpu.correction->analytic
             : nullptr;
}

/// By closed form with the calibration's correction.
Prediction corrected_work(const Question& q, const ReadyCorrection& correction,
                          const KernelConfig& config, const GemmWork& work) {
  Prediction p = predict_work(q, config, work);
  const auto form = [&](Hertz f) { return closed_form(q.gpu, q.problem, config, work, f); };
  const Physics physics{
      .cycles = [&](Hertz f) { return form(f).cycles; },
      .work = [&](Cycles cycles) { return chip_work(q.gpu, q.problem, config, work, cycles); },
      .phases = {},
      .features =
          [&](Hertz f) {
            return correction_features(q.problem, config, work, form(f), f, Cycles{}, q.regime);
          }};
  apply_correction(q.gpu, correction, config.schedule, q.regime, q.inputs, physics, p);
  p.closed_form_time = p.time;
  return p;
}

/// Neighbours in the list of candidates that are one kernel in different orders of its tiles.
struct RasterGroup {
  std::size_t begin, end;
  Seconds bound;       // none of them is faster; corrected, hardly any
  bool close = false;  // the bound is what the best order that there could be would take
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
      groups.push_back({i, i + 1, {}, false});
    }
  }
  return groups;
}

/// The `keep` fastest candidates, of which at least `least` are looked at. `bound` says about what
/// a kernel takes that does some work, or less, at little cost; `predict` predicts it. The kernel
/// with the lowest bound for its best order is looked at next: first what that order would really
/// take, and once this is the lowest bound of all, each of its orders.
template <class Bound, class Predict>
std::vector<Prediction> fastest_of(const Question& q, const std::vector<KernelConfig>& legal,
                                   std::vector<RasterGroup> groups, std::size_t keep,
                                   std::size_t least, unsigned threads, const Bound& bound,
                                   const Predict& predict) {
  parallel_for(groups.size(), threads, [&](std::size_t i) {
    const KernelConfig& kernel = legal[groups[i].begin];
    groups[i].bound = bound(kernel, least_gemm_work(q.gpu, q.problem, kernel));
  });
  const auto later = [](const RasterGroup& a, const RasterGroup& b) {
    return std::pair(a.bound, a.begin) > std::pair(b.bound, b.begin);
  };
  std::priority_queue next(later, std::move(groups));
  TrafficMemo traffic(*q.gpu.l2, q.problem);
  Fastest fastest(keep);
  std::size_t looked_at = 0;
  const auto too_slow = [&](Seconds time) {
    return looked_at >= least && fastest.none_after(time);
  };
  while (!next.empty() && !too_slow(next.top().bound)) {
    RasterGroup group = next.top();
    next.pop();
    if (!group.close) {
      const KernelConfig& kernel = legal[group.begin];
      const GemmWork best = least_gemm_work(q.gpu, q.problem, kernel);
      group.bound = predict(kernel, best).time * kBoundSlack;
      group.close = true;
      next.push(group);
      continue;
    }
    for (std::size_t i = group.begin; i < group.end; ++i, ++looked_at) {
      const GemmWork work = gemm_work(q.gpu, q.problem, legal[i], traffic);
      if (!too_slow(bound(legal[i], work))) {
        fastest.add(predict(legal[i], work), i);
      }
    }
  }
  return fastest.take();
}

/// By closed form; exactly the fastest. No clock is above the plateau, where each takes least.
std::vector<Prediction> fastest_by_physics(const Question& q,
                                           const std::vector<KernelConfig>& legal, std::size_t keep,
                                           unsigned threads) {
  const Hertz highest = q.gpu.clock->tensor_plateau;
  const auto bound = [&](const KernelConfig& kernel, const GemmWork& work) {
    const Cycles cycles = closed_form(q.gpu, q.problem, kernel, work, highest).cycles;
    return time_of(cycles, highest) * kBoundSlack;
  };
  return fastest_of(q, legal, raster_groups(legal), keep, 0, threads, bound,
                    [&](const KernelConfig& kernel, const GemmWork& work) {
                      return predict_work(q, kernel, work);
                    });
}

/// Where the best of a few kernels runs.
void look_where_it_is_good(const Question& q, const std::vector<KernelConfig>& legal,
                           const std::vector<RasterGroup>& groups, RoughTime& rough) {
  const KernelConfig* good = nullptr;
  Seconds time;
  for (std::size_t i = 0; i < groups.size(); i += kSampled) {
    const KernelConfig& kernel = legal[groups[i].begin];
    const Seconds its = rough.of(kernel, least_gemm_work(q.gpu, q.problem, kernel));
    if (good == nullptr || its < time) {
      good = &kernel;
      time = its;
    }
  }
  rough.look_where(*good, least_gemm_work(q.gpu, q.problem, *good));
}

/// The same with the calibration's correction, which no bound of the physics holds: a rough time
/// stands for one.
std::vector<Prediction> fastest_corrected(const Question& q, const std::vector<KernelConfig>& legal,
                                          std::size_t keep, unsigned threads) {
  const ReadyCorrection correction(*correction_of(q.gpu));
  std::vector<RasterGroup> groups = raster_groups(legal);
  RoughTime rough(q.gpu, correction, q.problem, q.regime, q.inputs);
  look_where_it_is_good(q, legal, groups, rough);
  return fastest_of(
      q, legal, std::move(groups), keep, kCorrected, threads,
      [&](const KernelConfig& kernel, const GemmWork& work) {
        return rough.of(kernel, work) * kRoughly;
      },
      [&](const KernelConfig& kernel, const GemmWork& work) {
        return corrected_work(q, correction, kernel, work);
      });
}

}  // namespace

Prediction predict_gemm(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                        Regime regime, Inputs inputs, Method method) {
  require_solvable(problem);
  if (const Refusal refusal = check_legal(gpu, problem, config); refusal != Refusal::kNone) {
    throw ConfigError(fmt::format("{} is not legal on {}: {}", to_text(config), gpu.name,
                                  describe_refusal(refusal, gpu, problem, config)));
  }
  TrafficMemo traffic(*gpu.l2, problem);
  const GemmWork work = gemm_work(gpu, problem, config, traffic);
  const Question question{gpu, problem, regime, inputs};
  const Prediction analytic =
      correction_of(gpu) != nullptr
          ? corrected_work(question, ReadyCorrection(*correction_of(gpu)), config, work)
          : predict_work(question, config, work);
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
                  correction_of(gpu) != nullptr
                      ? fastest_corrected(question, candidates.legal, look, effort.threads)
                      : fastest_by_physics(question, candidates.legal, look, effort.threads)};
  if (simulates) {
    simulate_best(gpu, effort, ranking);
  }
  ranking.predictions.resize(std::min(keep, ranking.predictions.size()));
  return ranking;
}

}  // namespace tilecast
