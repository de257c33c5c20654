#include "model/predict/predict.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "model/analytic/closed_form.h"
#include "model/base/error.h"
#include "model/clock/clock.h"
#include "model/predict/candidates.h"
#include "model/predict/legality.h"
#include "model/spec/load_gpu.h"
#include "model/tile/kernel_config_text.h"

namespace tilecast {
namespace {

constexpr int kMostRounds = 12;    // of the search for the clock; three or four do, mostly
constexpr double kSettled = 1e-4;  // relative change of the clock at which it stops

void require_solvable(const GpuSpec& gpu, const GemmProblem& problem) {
  if (const std::string why = why_not_schedulable(gpu); !why.empty()) {
    throw ConfigError(why);
  }
  if (const std::string why = why_not_solvable(problem); !why.empty()) {
    throw ConfigError(fmt::format("{}: {}", to_text(problem.shape), why));
  }
}

Prediction predict_legal(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                         Regime regime, Inputs inputs, TrafficMemo& traffic) {
  const GemmWork work = gemm_work(gpu, problem, config, traffic);
  const Flops flops{gemm_flops(problem.shape)};
  const auto run_at = [&](Hertz f) {
    const ClosedForm form = closed_form(gpu, problem, config, work, f);
    const Activity activity{flops, work.shared_memory, work.traffic.l2_to_sm,
                            work.traffic.dram_read + work.traffic.dram_write, form.cycles};
    return std::pair{form, sm_clock(gpu, activity, regime, inputs)};
  };
  // Cycles depend on the clock where nanoseconds matter, the clock on the cycles. Where a
  // memory-bound kernel is also power-bound, taking each from the other in turn swings: secant
  // steps do not.
  Hertz f = gpu.clock->tensor_plateau;
  auto [form, clock] = run_at(f);
  Hertz before = f;
  Hertz answer_before = clock.sm_clock;
  f = clock.sm_clock;
  for (int round = 0; round < kMostRounds; ++round) {
    std::tie(form, clock) = run_at(f);
    const Hertz answer = clock.sm_clock;
    if (std::abs(answer / f - 1) < kSettled) {
      break;
    }
    const double slope = (answer - answer_before) / (f - before);
    before = f;
    answer_before = answer;
    f = std::min((answer - f * slope) / (1 - slope), gpu.clock->max);
  }
  const Seconds time = time_of(form.cycles, clock.sm_clock);
  return {.config = config,
          .method = Method::kAnalytic,
          .cycles = form.cycles,
          .sm_clock = clock.sm_clock,
          .time = time,
          .interval_low = time * (1 - gpu.default_interval),
          .interval_high = time * (1 + gpu.default_interval),
          .tflops = flops.value / time.value * 1e-12,
          .power = clock.power,
          .limiter = form.limiter,
          .shares = form.shares,
          .l2_to_sm = work.traffic.l2_to_sm,
          .dram_read = work.traffic.dram_read,
          .dram_write = work.traffic.dram_write,
          .l2_hit_rate = 1 - work.traffic.dram_read / work.traffic.l2_to_sm};
}

}  // namespace

std::string_view to_text(Method) { return "analytic"; }

Prediction predict_config(const GpuSpec& gpu, const GemmProblem& problem,
                          const KernelConfig& config, Regime regime, Inputs inputs) {
  require_solvable(gpu, problem);
  if (const Refusal refusal = check_legal(gpu, problem, config); refusal != Refusal::kNone) {
    throw ConfigError(fmt::format("{} cannot run {} in layout {}: {}", gpu.name, to_text(config),
                                  to_text(problem.layout), to_text(refusal)));
  }
  TrafficMemo traffic(*gpu.l2, problem);
  return predict_legal(gpu, problem, config, regime, inputs, traffic);
}

Ranking rank_candidates(const GpuSpec& gpu, const GemmProblem& problem,
                        const std::vector<Schedule>& schedules, Regime regime, Inputs inputs) {
  require_solvable(gpu, problem);
  Candidates candidates = enumerate_candidates(gpu, problem, schedules);
  if (candidates.legal.empty()) {
    throw ConfigError(
        fmt::format("{}: no candidate is legal on {}", to_text(problem.shape), gpu.name));
  }
  Ranking ranking{problem,
                  regime,
                  inputs,
                  static_cast<int>(candidates.legal.size()),
                  std::move(candidates.rejected),
                  {}};
  TrafficMemo traffic(*gpu.l2, problem);
  ranking.predictions.reserve(candidates.legal.size());
  for (const KernelConfig& config : candidates.legal) {
    ranking.predictions.push_back(predict_legal(gpu, problem, config, regime, inputs, traffic));
  }
  std::stable_sort(ranking.predictions.begin(), ranking.predictions.end(),
                   [](const Prediction& a, const Prediction& b) { return a.time < b.time; });
  return ranking;
}

}  // namespace tilecast
