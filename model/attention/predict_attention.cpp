#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "model/attention/attention_model.h"
#include "model/attention/attention_text.h"
#include "model/base/error.h"
#include "model/base/shown_text.h"
#include "model/rank/rank_every.h"
#include "model/rank/retime.h"
#include "model/rank/settled_clock.h"
#include "model/rank/simulated_ranking.h"
#include "model/spec/limiter.h"

namespace tilecast {
namespace {

// The GPU whose kernels the terms of attention were fitted to (attention_model.h), and the 5th and
// 95th percentile of measured over predicted time there.
constexpr std::string_view kMeasuredOn = "h200_sxm";
struct Width {
  double below, above;
};
constexpr Width kDecode{0.155, 0.23}, kPrefill{0.14, 0.18};

void require_sections(const GpuSpec& gpu) {
  if (gpu.architecture != Architecture::kHopper) {
    throw ConfigError(fmt::format("attention runs on Hopper GPUs only, which {} ({}) is not",
                                  gpu.name, gpu.product));
  }
  if (!gpu.machine || !gpu.reduction || !gpu.l2 || !gpu.dram || !gpu.clock || !gpu.power) {
    throw ConfigError(fmt::format(
        "{}: expected the sections machine, reduction, l2, dram, clock and power", gpu.name));
  }
}

/// Simulated once, at the clock of the closed form; the clock then settles with its cycles.
struct Simulated {
  Cycles cycles;
  ClockState clock;
};
Simulated simulated(const AttentionQuestion& q, const AttentionConfig& config,
                    const KernelActivity& activity, Hertz sm_clock) {
  const Cycles cycles = simulate_attention(q.gpu, q.problem, config, sm_clock).cycles;
  return {cycles, clock_of(q.gpu, activity, cycles, q.regime, q.inputs).kernel};
}

Prediction predict_legal(const AttentionQuestion& q, const AttentionConfig& config,
                         AttentionPlans& plans) {
  const AttentionPlan& plan = plans.of(config);
  const auto [form, clock] = settled_clock(*q.gpu.clock, q.gpu.clock->max, [&](Hertz f) {
    const AttentionForm at = closed_form(q.gpu, q.problem, config, plan, f);
    return Settled<AttentionForm>{
        at, clock_of(q.gpu, at.activity, at.cycles, q.regime, q.inputs).kernel};
  });
  Prediction p{.config = config,
               .bounds = hard_bounds(q.gpu, q.problem),
               .cycles = form.cycles,
               .extrapolated = q.gpu.name != kMeasuredOn,
               .limiter = form.limiter,
               .shares = form.shares,
               .l2_to_sm = plan.kv_from_l2 + plan.q_from_l2 + plan.partial};
  set_dram_bytes(q.gpu, plan.dram_read, plan.dram_write, p);
  settle(q.gpu, clock, p);
  const Width width = is_rated_in_bytes(q.problem) ? kDecode : kPrefill;
  set_interval(1 - width.below, 1 + width.above, p);
  p.tflops = tera_per_second(Flops{attention_flops(q.problem)}, p.time);
  return p;
}

std::string share_text(double share) { return fmt::format("{:.0f} %", 100 * share); }
std::string mega_text(Bytes bytes) {
  return bytes.value < si::kGiga ? fmt::format("{:.4g} MB", bytes.value / si::kMega)
                                 : fmt::format("{:.4g} GB", bytes.value / si::kGiga);
}

/// The first of each schedule among the ranking's, `effort.simulations` of them, or two.
std::vector<SharedSimulation> nominees_of(const Ranking& ranking, const Effort& effort) {
  std::map<AnySchedule, std::size_t> of_schedule;
  std::vector<SharedSimulation> nominees;
  for (std::size_t place = 0; place < ranking.predictions.size(); ++place) {
    if (++of_schedule[schedule_of(ranking.predictions[place].config)] <=
        effort.simulations.value_or(2)) {
      nominees.push_back({{place}, 1});
    }
  }
  return nominees;
}

/// The GPU on which softmax takes no time.
GpuSpec without_softmax(GpuSpec gpu) {
  constexpr double kInfinite = 1e30;
  gpu.machine->fused_special = gpu.machine->fused_issue = gpu.machine->fp32_additions = kInfinite;
  return gpu;
}

}  // namespace

LeastWork least_work(const GpuSpec& gpu, const AttentionProblem& p) {
  return {.read = Bytes{query_bytes(p) + kv_bytes(p)},
          .written = Bytes{query_bytes(p) + lse_bytes(p)},
          .tensor = LeastWork::Tensor{Flops{attention_flops(p)}, tensor_rate(gpu) * gpu.sm.count}};
}

Prediction predict_one(const AttentionQuestion& q, const AttentionConfig& config, Method method) {
  require_sections(q.gpu);
  if (const std::string why = why_not_legal(q.gpu, q.problem, config); !why.empty()) {
    throw ConfigError(fmt::format("{} is not legal for {} on {}: {}", to_text(config),
                                  to_text(q.problem), q.gpu.name, why));
  }
  AttentionPlans plans(q.gpu, q.problem);
  Prediction p = predict_legal(q, config, plans);
  if (method == Method::kSimulated) {
    const AttentionForm form = closed_form(q.gpu, q.problem, config, plans.of(config), p.sm_clock);
    const auto [cycles, clock] = simulated(q, config, form.activity, p.sm_clock);
    allow_busy(cycles / p.cycles, p);
    retime(cycles, clock, p);
    p.method = Method::kSimulated;
  }
  require_possible(q.gpu, q.problem, least_work(q.gpu, q.problem), p);
  return p;
}

std::vector<Seconds> closed_form_times(const AttentionQuestion& question,
                                       std::span<const AttentionConfig> configs) {
  require_sections(question.gpu);
  AttentionPlans plans(question.gpu, question.problem);
  return legal_times(question, configs, [&](const AttentionConfig& config) {
    return predict_legal(question, config, plans);
  });
}

Ranking rank_all(const AttentionQuestion& question, const std::vector<AttentionSchedule>& schedules,
                 std::size_t keep, const Effort& effort, const ConfigPattern* pattern) {
  constexpr std::size_t kLookedAt = 64;  // of which some are simulated
  require_sections(question.gpu);
  const bool simulates = effort.method == Method::kSimulated;
  AttentionPlans plans(question.gpu, question.problem);
  Ranking ranking = rank_every(
      question, enumerate_candidates(question.gpu, question.problem, schedules),
      simulates ? std::max(keep, kLookedAt) : keep, effort, pattern,
      [&](const AttentionConfig& config) { return predict_legal(question, config, plans); },
      refusals_text<AttentionConfig>);
  if (simulates) {
    const std::vector<Prediction> closed = ranking.predictions;
    rank_simulated(
        nominees_of(ranking, effort), effort.threads,
        [](std::size_t place) {
          return std::optional(SharedSimulation{{place}, 1});
        },
        [&](std::size_t place) {
          return predict_one(question, std::get<AttentionConfig>(closed[place].config),
                             Method::kSimulated);
        },
        ranking);
    ranking.by_tile.clear();
    set_shortlist(effort.shortlist, ranking);
    ranking.predictions.resize(std::min(keep, ranking.predictions.size()));
  }
  return ranking;
}

std::string why_extrapolated(const GpuSpec&, const AttentionProblem&) {
  return fmt::format("attention was measured on {} alone", kMeasuredOn);
}

AttentionForm form_at(const GpuSpec& gpu, const AttentionProblem& problem,
                      const AttentionConfig& config, Hertz sm_clock) {
  AttentionPlans plans(gpu, problem);
  return closed_form(gpu, problem, config, plans.of(config), sm_clock);
}

std::vector<std::string> notes(const AttentionQuestion& q, const AttentionConfig& config,
                               const Prediction& predicted) {
  const auto& [gpu, problem, regime, inputs] = q;
  const Hertz clock = predicted.sm_clock;
  AttentionPlans plans(gpu, problem);
  const AttentionPlan& plan = plans.of(config);
  const AttentionForm form = closed_form(gpu, problem, config, plan, clock);
  const Cycles shown =
      form.cycles - closed_form(without_softmax(gpu), problem, config, plan, clock).cycles;
  std::vector<std::string> all;

  const double hidden = 1 - std::clamp(shown / form.softmax, 0.0, 1.0);
  all.push_back(fmt::format(
      "Softmax of a warpgroup takes {} of the kernel's time; {} of it is hidden under products and "
      "loads, and without it the kernel would take {} less.",
      share_text(form.softmax / form.cycles), share_text(hidden),
      share_text(std::max(0.0, shown / form.cycles))));

  const double computed = plan.all_blocks * tile_rows(config) * config.kv_block;
  if (is_causal(problem) && problem.queries > 1) {
    all.push_back(fmt::format(
        "The mask: {} of the scores that are computed count; {} of the blocks lie on the diagonal "
        "or at the end of the keys and are masked.",
        share_text(scores_seen(problem) / computed),
        share_text(plan.masked_blocks / plan.all_blocks)));
  } else if (scores_seen(problem) < computed) {
    all.push_back(
        fmt::format("{} of the scores that are computed count; the rest are rows and "
                    "keys that tiles have too many.",
                    share_text(scores_seen(problem) / computed)));
  }

  const double mean = plan.all_blocks / static_cast<double>(plan.workers);
  all.push_back(fmt::format(
      "{} tiles on {} CTAs, {:.2f} waves; the CTA that ends last has {:.0f} blocks of {} keys, the "
      "mean {:.1f}: {} of the time is waiting for it.",
      with_commas(plan.tiles), with_commas(plan.workers),
      static_cast<double>(plan.tiles) / static_cast<double>(plan.workers), plan.busiest_blocks,
      config.kv_block, mean, share_text(1 - std::min(1.0, mean / plan.busiest_blocks))));

  AttentionConfig other = config;
  const bool splits = config.splits > 1;
  other.splits = splits ? 1 : 2;
  if (check_legal(gpu, problem, other) == Refusal::kNone) {
    const Prediction p = predict_legal(q, other, plans);
    all.push_back(
        splits ? fmt::format("{} splits write {} of partial results and take {} to combine; the "
                             "same kernel without splits takes {:.2f} times as long.",
                             config.splits, mega_text(plan.partial),
                             share_text(form.combine / form.cycles), p.time / predicted.time)
               : fmt::format("No splits; with two the kernel takes {:.2f} times as long.",
                             p.time / predicted.time));
  }

  all.push_back(fmt::format(
      "{} come from L2 into the SMs, {} of K and V; each of their lines is wanted by {:.1f} tiles "
      "at a time. DRAM reads {}, {:.2f} times Q, K and V, and writes {}.",
      mega_text(predicted.l2_to_sm), mega_text(plan.kv_from_l2), plan.sharers,
      mega_text(plan.dram_read), plan.dram_read.value / (query_bytes(problem) + kv_bytes(problem)),
      mega_text(plan.dram_write)));
  return all;
}

}  // namespace tilecast
