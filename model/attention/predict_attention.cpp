#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "model/attention/attention_model.h"
#include "model/attention/attention_text.h"
#include "model/base/error.h"
#include "model/base/refuse.h"
#include "model/base/shown_text.h"
#include "model/learn/learned.h"
#include "model/rank/bottleneck.h"
#include "model/rank/rank_every.h"
#include "model/rank/retime.h"
#include "model/rank/settled_clock.h"
#include "model/rank/simulated_ranking.h"
#include "model/spec/limiter.h"

namespace tilecast {
namespace {

constexpr i32 kQueriesOfPrefill = 1024;  // beyond this, more queries only add tiles
// Number of kernels of a ranking that get a learned correction: the fastest by the analytic model,
// over all schedules and per schedule. The others get the mean correction of their schedule.
constexpr std::size_t kCorrected = 256, kCorrectedOfSchedule = 64;

void require_sections(const GpuSpec& gpu) {
  refuse_if(gpu.architecture != Architecture::kHopper,
            "attention kernels run only on Hopper GPUs, and {} ({}) is not one", gpu.name,
            gpu.product);
  refuse_if(!gpu.machine || !gpu.reduction || !gpu.l2 || !gpu.dram || !gpu.clock || !gpu.power,
            "{}: lacks one of the sections machine, reduction, l2, dram, clock and power, "
            "which attention requires",
            gpu.name);
}

/// A simulation takes about 4 us per block, and per tile, of a warpgroup. Throws ConfigError for
/// kernels that would take over a quarter of a minute.
void require_simulable(const AttentionConfig& config, const AttentionPlan& plan) {
  constexpr double kMostBlocks = 1 << 22;
  const double blocks = (plan.all_blocks + static_cast<double>(plan.tiles)) * config.groups;
  if (blocks > kMostBlocks) {
    throw ConfigError(fmt::format(
        "method simulated: {} has {:.1f} million blocks of keys, and at most {:.1f} million are "
        "simulated; --method analytic has no limit",
        to_text(config), blocks / si::kMega, kMostBlocks / si::kMega));
  }
}

/// Result of one simulation at the clock of the analytic model; the clock is then settled with its
/// cycles.
struct Simulated {
  Cycles cycles;
  ClockState clock;
};
Simulated simulated(const AttentionQuestion& q, const AttentionConfig& config,
                    const KernelActivity& activity, Hertz sm_clock) {
  const Cycles cycles = simulate_attention(q.gpu, q.problem, config, sm_clock).cycles;
  return {cycles, clock_of(q.gpu, activity, cycles, q.regime, q.inputs).kernel};
}

/// Predicts legal kernels of one query.
class AttentionPredictor {
 public:
  /// Simulations get no learned correction.
  explicit AttentionPredictor(const AttentionQuestion& question, Method method = Method::kAnalytic)
      : q_(question),
        plans_(question.gpu, question.problem),
        learned_(method == Method::kAnalytic ? learned_attention(question.gpu) : std::nullopt) {}

  const AttentionPlan& plan(const AttentionConfig& config) { return plans_.of(config); }

  /// Predicts without the learned correction.
  Prediction by_form(const AttentionConfig& config) {
    const AttentionPlan& plan = plans_.of(config);
    const auto [form, clock] = settled_form(q_, config, plan);
    Prediction p{.config = config,
                 .bounds = hard_bounds(q_.gpu, q_.problem),
                 .cycles = form.cycles,
                 .extrapolated = q_.gpu.attention_learned == nullptr,
                 .limiter = bottleneck(form.shares, form.limiter),
                 .shares = form.shares,
                 .l2_to_sm = plan.kv_from_l2 + plan.q_from_l2 + plan.partial};
    set_dram_bytes(q_.gpu, plan.dram_read, plan.dram_write, p);
    settle(q_.gpu, clock, p);
    p.tflops = tera_per_second(Flops{attention_flops(q_.problem)}, p.time);
    return p;
  }

  Prediction of(const AttentionConfig& config) {
    Prediction p = by_form(config);
    if (learned_) {
      apply(correction(config), p);
    }
    return p;
  }

  std::vector<LearnedContribution> contributions(const AttentionConfig& config) {
    return learned_ ? learned_->contributions(features(config))
                    : std::vector<LearnedContribution>{};
  }

  /// Corrects all predictions of a ranking, which are analytic.
  void correct(std::vector<Prediction>& ranking) {
    if (!learned_) {
      return;
    }
    struct Mean {
      std::size_t count = 0;
      Learned sum = {};
    };
    std::map<AnySchedule, Mean> of_schedule;
    std::vector<Prediction*> others;
    std::ranges::stable_sort(ranking, {}, &Prediction::time);
    for (std::size_t place = 0; place < ranking.size(); ++place) {
      Mean& mean = of_schedule[schedule_of(ranking[place].config)];
      if (place >= kCorrected && mean.count >= kCorrectedOfSchedule) {
        others.push_back(&ranking[place]);
        continue;
      }
      const Learned learned = correction(std::get<AttentionConfig>(ranking[place].config));
      ++mean.count;
      mean.sum.cycles += learned.cycles;
      mean.sum.clock += learned.clock;
      apply(learned, ranking[place]);
    }
    for (Prediction* const p : others) {
      const Mean& mean = of_schedule[schedule_of(p->config)];
      const auto count = static_cast<double>(mean.count);
      apply({.cycles = mean.sum.cycles / count, .clock = mean.sum.clock / count}, *p);
    }
  }

 private:
  Learned correction(const AttentionConfig& config) { return learned_->of(features(config)); }

  /// The correction applies to normal inputs.
  KernelFeatures features(const AttentionConfig& config) {
    const AttentionPlan& plan = plans_.of(config);
    const auto [form, clock] =
        settled_form({q_.gpu, q_.problem, q_.regime, Inputs::kNormal}, config, plan);
    return attention_features(q_.gpu, q_.problem, config, plan, form, clock.sm_clock, q_.regime);
  }

  void apply(const Learned& learned, Prediction& p) {
    const AttentionConfig& config = std::get<AttentionConfig>(p.config);
    const AttentionPlan& plan = plans_.of(config);
    const auto form_at = [&](Hertz f) { return closed_form(q_.gpu, q_.problem, config, plan, f); };
    apply_learned(
        q_.gpu, learned, q_.regime, q_.inputs, form_at(p.sm_clock).activity,
        [&](Hertz f) {
          return UncorrectedCycles{form_at(f).cycles, {}};
        },
        p);
  }

  const AttentionQuestion& q_;
  AttentionPlans plans_;
  std::optional<LearnedPart> learned_;
};

std::string share_text(double share) { return fmt::format("{:.0f} %", 100 * share); }
std::string mega_text(Bytes bytes) {
  return bytes.value < si::kGiga ? fmt::format("{:.4g} MB", bytes.value / si::kMega)
                                 : fmt::format("{:.4g} GB", bytes.value / si::kGiga);
}

/// Returns the first kernels of each schedule in the ranking: `effort.simulations` of them, or two.
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

/// Returns the GPU with a softmax that takes no time.
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
  AttentionPredictor predictor(q, method);
  Prediction p = predictor.of(config);
  if (method == Method::kSimulated) {
    const AttentionPlan& plan = predictor.plan(config);
    require_simulable(config, plan);
    const AttentionForm form = closed_form(q.gpu, q.problem, config, plan, p.sm_clock);
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
  AttentionPredictor predictor(question);
  return legal_times(question, configs,
                     [&](const AttentionConfig& config) { return predictor.of(config); });
}

Ranking rank_all(const AttentionQuestion& question, const std::vector<AttentionSchedule>& schedules,
                 std::size_t keep, const Effort& effort, const ConfigPattern* pattern) {
  constexpr std::size_t kLookedAt =
      64;  // number of ranked kernels from which the simulated ones are chosen
  require_sections(question.gpu);
  const bool simulates = effort.method == Method::kSimulated;
  AttentionPredictor predictor(question);
  Effort closed_form = effort;
  if (simulates) {
    closed_form.objective = Objective::kTime;  // the fastest ones are then simulated
  }
  Ranking ranking = rank_every(
      question, enumerate_candidates(question.gpu, question.problem, schedules),
      simulates ? std::max(keep, kLookedAt) : keep, closed_form, pattern,
      [&](const AttentionConfig& config) { return predictor.by_form(config); },
      refusals_text<AttentionConfig>,
      [&](std::vector<Prediction>& all) { predictor.correct(all); });
  if (simulates) {
    ranking.objective = effort.objective;
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

std::vector<LearnedContribution> learned_contributions(const AttentionQuestion& q,
                                                       const AttentionConfig& config) {
  return AttentionPredictor(q).contributions(config);
}

std::string why_extrapolated(const GpuSpec& gpu, const AttentionProblem&) {
  return gpu.attention_learned != nullptr ? "no measured kernel is similar"
         : gpu.attention
             ? fmt::format("no attention kernel of {} was measured", gpu.name)
             : fmt::format("the file of {} has no section attention: its numbers are priors",
                           gpu.name);
}

Settled<AttentionForm> settled_form(const AttentionQuestion& q, const AttentionConfig& config,
                                    const AttentionPlan& plan) {
  return settled_clock(*q.gpu.clock, q.gpu.clock->max, [&](Hertz f) {
    const AttentionForm at = closed_form(q.gpu, q.problem, config, plan, f);
    return Settled<AttentionForm>{
        at, clock_of(q.gpu, at.activity, at.cycles, q.regime, q.inputs).kernel};
  });
}

KernelFeatures attention_features(const GpuSpec& gpu, const AttentionProblem& p,
                                  const AttentionConfig& c, const AttentionPlan& plan,
                                  const AttentionForm& form, Hertz sm_clock, Regime regime) {
  const AttentionTraits traits = traits_of(c.schedule);
  const FormParts& parts = form.parts;
  const auto number = [](bool is) { return is ? 1.0 : 0.0; };
  const auto share = [&](Cycles cycles) { return cycles / form.cycles; };
  const double tiles = static_cast<double>(plan.tiles), workers = static_cast<double>(plan.workers);
  const double waves = tiles / workers, group = heads_per_kv(p), sms = gpu.sm.count;
  const double rows =
      std::min(1.0 * tile_rows(c), 1.0 * p.queries * heads_of_tile(packed_heads(p, c), c));
  const double in_flight =
      2.0 * c.stages * attention_smem(c, p.head_dim).stage_bytes * workers / sms;
  return {{parts.mma / parts.step,
           parts.l2 / parts.step,
           parts.load / parts.step,
           std::log(share(parts.main_loops)),
           share(parts.dram),
           share(parts.ends),
           share(form.combine),
           share(form.softmax),
           std::log(time_of(form.cycles, sm_clock).value),
           std::log(sm_clock.value / si::kGiga),
           number(regime == Regime::kSustained),

           std::log2(p.head_dim),
           number(is_causal(p)),
           std::log2(std::min(p.queries, kQueriesOfPrefill)),
           std::log2(p.keys),
           std::log2(group),
           std::log2(plan.dram_read.value),
           number(p.layout == AttentionLayout::kBshd),
           std::log2(waves),
           waves / std::ceil(waves),
           std::log2(workers / sms),
           std::log2(std::max(1.0, plan.busiest_blocks / plan.busiest_tiles)),
           plan.masked_blocks / std::max(1.0, plan.all_blocks),
           std::log2(plan.sharers),
           plan.missing,
           std::log2(rows / tile_rows(c)),

           static_cast<double>(c.groups),
           std::log2(c.kv_block),
           std::log2(c.stages),
           std::log2(resident_ctas(gpu, p, c)),
           std::log2(in_flight),
           std::log2(c.splits),
           number(c.pack),

           number(traits.producer),
           number(traits.takes_turns),
           number(traits.scores_ahead),
           number(c.grid == AttentionGrid::kResident),
           number(c.grid == AttentionGrid::kClusters),
           number(c.order == AttentionOrder::kLongestFirst),
           number(c.order == AttentionOrder::kDynamic)},
          form.limiter,
          regime,
          {to_text(c.schedule)}};
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
  AttentionPredictor predictor(q);
  const AttentionPlan& plan = predictor.plan(config);
  const AttentionForm form = closed_form(gpu, problem, config, plan, clock);
  const Cycles shown =
      form.cycles - closed_form(without_softmax(gpu), problem, config, plan, clock).cycles;
  std::vector<std::string> all;

  const double hidden = 1 - std::clamp(shown / form.softmax_of_sm, 0.0, 1.0);
  all.push_back(
      fmt::format("Softmax: {} of it is hidden by products and loads; without it, {} less time.",
                  share_text(hidden), share_text(std::max(0.0, shown / form.cycles))));

  const double computed = plan.all_blocks * tile_rows(config) * config.kv_block;
  if (is_causal(problem) && problem.queries > 1) {
    all.push_back(fmt::format("Mask: {} of the computed scores count; {} of the blocks are masked.",
                              share_text(scores_seen(problem) / computed),
                              share_text(plan.masked_blocks / plan.all_blocks)));
  } else if (scores_seen(problem) < computed) {
    all.push_back(
        fmt::format("{} of the computed scores count; the rest are rows and keys beyond the "
                    "problem's.",
                    share_text(scores_seen(problem) / computed)));
  }

  const double mean = plan.all_blocks / static_cast<double>(plan.workers);
  all.push_back(fmt::format(
      "{} tiles on {} CTAs, {:.2f} waves; the busiest CTA has {:.0f} blocks of {} keys, the "
      "average "
      "CTA {:.1f}, and waits {} of the time for the busiest.",
      with_commas(plan.tiles), with_commas(plan.workers),
      static_cast<double>(plan.tiles) / static_cast<double>(plan.workers), plan.busiest_blocks,
      config.kv_block, mean, share_text(1 - std::min(1.0, mean / plan.busiest_blocks))));

  AttentionConfig other = config;
  const bool splits = config.splits > 1;
  other.splits = splits ? 1 : 2;
  if (check_legal(gpu, problem, other) == Refusal::kNone) {
    const Prediction p = predictor.of(other);
    all.push_back(
        splits ? fmt::format("{} splits write {} of partial results and take {} of the time to "
                             "combine; the same kernel without splits takes {:.2f} times as long.",
                             config.splits, mega_text(plan.partial),
                             share_text(form.combine / form.cycles), p.time / predicted.time)
               : fmt::format("No splits; with two the kernel takes {:.2f} times as long.",
                             p.time / predicted.time));
  }

  all.push_back(fmt::format(
      "{} go from L2 to the SMs, {} of them K and V, each line of which {:.1f} tiles read at the "
      "same "
      "time. DRAM reads {}, {:.2f} times Q, K and V, and writes {}.",
      mega_text(predicted.l2_to_sm), mega_text(plan.kv_from_l2), plan.sharers,
      mega_text(plan.dram_read), plan.dram_read.value / (query_bytes(problem) + kv_bytes(problem)),
      mega_text(plan.dram_write)));
  return all;
}

}  // namespace tilecast
