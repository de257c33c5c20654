#include "model/predict/predict_stream.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/analytic/stream_closed_form.h"
#include "model/base/error.h"
#include "model/predict/chip_work.h"
#include "model/predict/fastest.h"
#include "model/predict/retime.h"
#include "model/predict/settled_clock.h"
#include "model/predict/stream_candidates.h"
#include "model/spec/load_gpu.h"
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

/// What is wrong with the problem itself, or else how many candidates were refused for what.
std::string why_none(const StreamProblem& problem, const StreamCandidates& candidates) {
  StreamConfig plain{};
  plain.schedule =
      problem.op == Op::kMemcpy ? StreamSchedule::kMemcpy : StreamSchedule::kElementwiseAdd;
  plain.block_rows = 1;
  plain.block_columns = kMostBoxElements;
  plain.vector_bytes = element_bytes(problem.dtype);
  if (std::string fault = stream_problem_fault(plain, problem); !fault.empty()) {
    return fault;
  }
  std::string reasons;
  for (const auto& [reason, count] : candidates.rejected) {
    reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", reason, count);
  }
  return "refused " + reasons;
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
    return Settled<StreamForm>{at, sm_clock(gpu, chip_work(at), regime, inputs)};
  });
  const Seconds time = time_of(form.cycles, clock.sm_clock);
  Prediction p{.config = config,
               .method = Method::kAnalytic,
               .bounds = hard_bounds(gpu, problem),
               .cycles = form.cycles,
               .sm_clock = clock.sm_clock,
               .time = time,
               .tflops = additions(problem).value / time.value * 1e-12,
               .power = clock.power,
               .limiter = form.limiter,
               .shares = form.shares,
               .l2_to_sm = form.dram_read,
               .dram_read = form.dram_read,
               .dram_write = form.dram_write,
               .l2_hit_rate = 0};
  set_default_interval(gpu, p);
  retime(p.cycles, clock, p);
  p.closed_form_time = p.time;
  return p;
}

}  // namespace

Prediction predict_stream(const GpuSpec& gpu, const StreamProblem& problem,
                          const StreamConfig& config, Regime regime, Inputs inputs) {
  require_constants(gpu);
  if (const std::string why = why_not_legal(gpu, problem, config); !why.empty()) {
    throw ConfigError(fmt::format("{} is not legal for {} on {}: {}", to_text(config),
                                  to_text(problem), gpu.name, why));
  }
  return predict_legal(gpu, problem, config, regime, inputs);
}

Ranking rank_streams(const GpuSpec& gpu, const StreamProblem& problem,
                     const std::vector<StreamSchedule>& schedules, Regime regime, Inputs inputs,
                     std::size_t keep, const ConfigPattern* pattern) {
  require_constants(gpu);
  StreamCandidates candidates = enumerate_candidates(gpu, problem, schedules);
  if (candidates.legal.empty()) {
    throw ConfigError(fmt::format("{}: no candidate is legal on {}: {}", to_text(problem), gpu.name,
                                  why_none(problem, candidates)));
  }
  if (pattern != nullptr) {
    std::vector<StreamConfig> matching = pattern->matching(candidates.legal);
    if (matching.empty()) {
      throw ConfigError(pattern->why_none(candidates.legal));
    }
    candidates.legal = std::move(matching);
  }
  Ranking ranking{problem,
                  regime,
                  inputs,
                  static_cast<int>(candidates.legal.size()),
                  std::move(candidates.rejected),
                  {}};
  std::vector<Seconds> times;
  for (const StreamConfig& config : candidates.legal) {
    ranking.predictions.push_back(predict_legal(gpu, problem, config, regime, inputs));
    times.push_back(ranking.predictions.back().time);
  }
  std::ranges::stable_sort(ranking.predictions, {}, &Prediction::time);
  ranking.rejected_example = {candidates.example.begin(), candidates.example.end()};
  ranking.within_1_percent = count_within_1_percent(times);
  ranking.predictions.resize(std::min(keep, ranking.predictions.size()));
  return ranking;
}

}  // namespace tilecast
