#include "model/stream/predict_stream.h"

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/rank/rank_every.h"
#include "model/rank/retime.h"
#include "model/rank/settled_clock.h"
#include "model/spec/load_gpu.h"
#include "model/stream/stream_closed_form.h"
#include "model/stream/stream_config_text.h"
#include "model/stream/stream_menu.h"
#include "model/stream/stream_rules.h"

namespace tilecast {
namespace {

void require_constants(const GpuSpec& gpu) {
  refuse_if(!gpu.stream,
            "{}: has no section `stream` with the measured constants of memory-bound kernels",
            gpu.name);
}

/// Returns the error of the problem itself or, if there is none, the counts of rejected candidates
/// by reason.
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
  return refusals_text(candidates);
}

/// Number of additions, one per element of C; 0 for a copy.
Flops additions(const StreamProblem& problem) {
  return {problem.op == Op::kMemcpy
              ? 0
              : static_cast<double>(problem.rows) * static_cast<double>(problem.columns)};
}

Prediction predict_legal(const StreamQuestion& q, const StreamConfig& config) {
  const auto [form, clock] = settled_clock(*q.gpu.clock, q.gpu.clock->max, [&](Hertz f) {
    const StreamForm at = form_at(q.gpu, q.problem, config, f);
    return Settled<StreamForm>{
        at, clock_of(q.gpu, kernel_activity(at), at.cycles, q.regime, q.inputs).kernel};
  });
  Prediction p{.config = config,
               .bounds = hard_bounds(q.gpu, q.problem),
               .cycles = form.cycles,
               .limiter = form.limiter,
               .shares = form.shares,
               .l2_to_sm = form.dram_read};
  set_dram_bytes(q.gpu, form.dram_read, form.dram_write, p);
  settle(q.gpu, clock, p);
  set_interval(1 - q.gpu.stream->interval, 1 + q.gpu.stream->interval, p);
  p.tflops = tera_per_second(additions(q.problem), p.time);
  return p;
}

}  // namespace

LeastWork least_work(const GpuSpec&, const StreamProblem& problem) {
  const double c = static_cast<double>(problem.rows) * static_cast<double>(problem.columns) *
                   element_bytes(problem.dtype);
  return {.read = Bytes{stream_bytes(problem) - c}, .written = Bytes{c}};
}

Prediction predict_one(const StreamQuestion& q, const StreamConfig& config, Method) {
  require_constants(q.gpu);
  if (const std::string why = why_not_legal(q.gpu, q.problem, config); !why.empty()) {
    throw ConfigError(fmt::format("{} is not legal for {} on {}: {}", to_text(config),
                                  to_text(q.problem), q.gpu.name, why));
  }
  const Prediction p = predict_legal(q, config);
  require_possible(q.gpu, q.problem, least_work(q.gpu, q.problem), p);
  return p;
}

std::vector<Seconds> closed_form_times(const StreamQuestion& question,
                                       std::span<const StreamConfig> configs) {
  require_constants(question.gpu);
  return legal_times(question, configs,
                     [&](const StreamConfig& config) { return predict_legal(question, config); });
}

Ranking rank_all(const StreamQuestion& question, const std::vector<StreamSchedule>& schedules,
                 std::size_t keep, const Effort& effort, const ConfigPattern* pattern) {
  const auto& [gpu, problem, regime, inputs] = question;
  require_constants(gpu);
  return rank_every(
      question, enumerate_candidates(gpu, problem, schedules), keep, effort, pattern,
      [&](const StreamConfig& config) { return predict_legal(question, config); },
      [&](const StreamCandidates& candidates) { return why_none(problem, candidates); },
      [](std::vector<Prediction>&) {});
}

}  // namespace tilecast
