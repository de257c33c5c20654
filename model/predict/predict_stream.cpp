#include "model/predict/predict_stream.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/analytic/stream_closed_form.h"
#include "model/base/error.h"
#include "model/predict/fastest.h"
#include "model/predict/retime.h"
#include "model/predict/settled_clock.h"
#include "model/predict/simulated_stream.h"
#include "model/predict/stream_candidates.h"
#include "model/sim/simulate_stream.h"
#include "model/tile/stream_config_text.h"

namespace tilecast {
namespace {

void require_constants(const GpuSpec& gpu) {
  if (!gpu.stream) {
    throw ConfigError(fmt::format(
        "{}: expected a section stream, the measured constants of memory-bound kernels; it has "
        "none",
        gpu.name));
  }
}

/// One operation per element of C; a copy does none.
Flops additions(const StreamProblem& problem) {
  return {problem.op == Op::kMemcpy
              ? 0
              : static_cast<double>(problem.rows) * static_cast<double>(problem.columns)};
}

Prediction predict_legal(const GpuSpec& gpu, const StreamProblem& problem,
                         const StreamConfig& config, Regime regime, Inputs inputs) {
  const auto [form, clock] = settled_clock(*gpu.clock, gpu.clock->max, [&](Hertz f) {
    const StreamForm at = stream_closed_form(gpu, problem, config, f);
    const ChipWork done{Flops{0}, at.shared_memory, at.dram_read + at.dram_write,
                        at.dram_read + at.dram_write, at.cycles};
    return Settled<StreamForm>{at, sm_clock(gpu, done, regime, inputs)};
  });
  const Seconds time = time_of(form.cycles, clock.sm_clock);
  Prediction p{.config = config,
               .method = Method::kAnalytic,
               .cycles = form.cycles,
               .sm_clock = clock.sm_clock,
               .time = time,
               .closed_form_time = time,
               .tflops = additions(problem).value / time.value * 1e-12,
               .power = clock.power,
               .limiter = form.limiter,
               .shares = form.shares,
               .l2_to_sm = form.dram_read,
               .dram_read = form.dram_read,
               .dram_write = form.dram_write,
               .l2_hit_rate = 0};
  set_default_interval(gpu, p);
  return p;
}

}  // namespace

Prediction predict_stream(const GpuSpec& gpu, const StreamProblem& problem,
                          const StreamConfig& config, Regime regime, Inputs inputs, Method method) {
  require_constants(gpu);
  if (const std::string why = why_not_legal(gpu, problem, config); !why.empty()) {
    throw ConfigError(fmt::format("{} cannot run {} on {}: {}", gpu.name, to_text(config),
                                  to_text(problem), why));
  }
  const Prediction analytic = predict_legal(gpu, problem, config, regime, inputs);
  return method == Method::kSimulated && can_simulate(gpu, config)
             ? simulated_prediction(gpu, problem, analytic, regime, inputs)
             : analytic;
}

Ranking rank_streams(const GpuSpec& gpu, const StreamProblem& problem,
                     const std::vector<StreamSchedule>& schedules, Regime regime, Inputs inputs,
                     std::size_t keep, Effort effort) {
  require_constants(gpu);
  StreamCandidates candidates = enumerate_candidates(gpu, problem, schedules);
  if (candidates.legal.empty()) {
    throw ConfigError(fmt::format("{}: no candidate is legal on {}", to_text(problem), gpu.name));
  }
  const bool simulates = effort.method == Method::kSimulated;
  Fastest fastest(simulates ? std::max(keep, effort.simulations) : keep);
  for (std::size_t i = 0; i < candidates.legal.size(); ++i) {
    fastest.add(predict_legal(gpu, problem, candidates.legal[i], regime, inputs), i);
  }
  const int count = static_cast<int>(candidates.legal.size());
  Ranking ranking{problem, regime, inputs, count, std::move(candidates.rejected), fastest.take()};
  if (simulates) {
    simulate_best_streams(gpu, effort, ranking);
    ranking.predictions.resize(std::min(keep, ranking.predictions.size()));
  }
  return ranking;
}

}  // namespace tilecast
