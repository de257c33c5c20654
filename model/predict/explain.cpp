#include "model/predict/explain.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>

#include "model/base/quantile.h"
#include "model/gemm/costs/fused_epilogue.h"
#include "model/gemm/form/closed_form.h"
#include "model/gemm/order/tile_scheduler.h"
#include "model/gemm/predict/kernel_activity.h"
#include "model/gemm/predict/outside_bytes.h"
#include "model/gemm/predict/simulated_gemm.h"
#include "model/gemm/problem/swapped_operands.h"
#include "model/gemm/sim/limits.h"
#include "model/predict/predict_op.h"
#include "model/predict/price_of_copies.h"
#include "model/stream/stream_closed_form.h"
#include "model/stream/stream_occupancy.h"

namespace tilecast {
namespace {

constexpr std::size_t kMostShown = 8;  // maximum number of phases
// Longest simulation, in steps, that is repeated for each resource and without groups: a dozen take
// two seconds.
constexpr double kMostRepeated = 2e6;

/// Fraction of tile rows that belong to no group, because a group ends inside a cluster's tile.
std::optional<double> rows_of_no_group(const GemmProblem& problem, const Tiling& t) {
  if (!grouped_along_m(problem)) {
    return std::nullopt;
  }
  const i64 rows = i64{tile_rows(problem, t)} * t.block_m * t.cluster_m;
  return 1 - static_cast<double>(problem.shape.m) / static_cast<double>(rows);
}

TileWaves waves_of(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                   const GemmWork& work) {
  const i64 cluster = cluster_size(config.tiling);
  const i64 ctas = residency_of(gpu, config).workers * cluster;
  return {.ctas_per_sm = work.ctas_per_sm,
          .ctas = ctas,
          .tiles = work.tiles,
          .k_blocks = std::llround(work.all_k_blocks / static_cast<double>(work.tiles)),
          .waves = static_cast<double>(work.tiles) / static_cast<double>(ctas),
          .in_last_wave = (work.tiles - cluster) % ctas + cluster,
          .rows_of_no_group = rows_of_no_group(problem, config.tiling)};
}

/// Adjacent phases merged into one: total cycles, time and work.
struct Joined {
  double cycles = 0;
  Seconds time{};
  Shares work{};

  void add(const PhaseShares& phase, Seconds its_time) {
    cycles += phase.time;
    time += its_time;
    work.tensor += phase.tensor;
    work.shared_memory += phase.shared_memory;
    work.sm_intake += phase.sm_intake;
    work.l2 += phase.l2;
    work.dram += phase.dram;
  }
  /// Converts busy shares relative to the kernel in `time` to shares relative to `whole`.
  Shares busy(const Shares& of_kernel, Seconds whole) const {
    const auto share = [](double of_all, double own, double part) {
      return part > 0 ? std::min(1.0, of_all * own / part) : 0;
    };
    const double seconds = time / whole;
    return {.tensor = share(of_kernel.tensor, work.tensor, cycles),
            .shared_memory = share(of_kernel.shared_memory, work.shared_memory, cycles),
            .sm_intake = share(of_kernel.sm_intake, work.sm_intake, cycles),
            .l2 = share(of_kernel.l2, work.l2, seconds),
            .dram = share(of_kernel.dram, work.dram, seconds)};
  }
};

/// Returns the phases that the clock follows, at most kMostShown, scaled to the prediction's time.
std::vector<Phase> phases_of(const Prediction& p, std::span<const PhaseShares> shares,
                             const PhasedClock& clocks) {
  const double corrected = p.sm_clock / clocks.kernel.sm_clock;
  const std::size_t joined = (shares.size() + kMostShown - 1) / kMostShown;
  std::vector<Phase> phases;
  Seconds at{};
  for (std::size_t first = 0; first < shares.size(); first += joined) {
    Joined phase;
    for (std::size_t i = first; i < std::min(shares.size(), first + joined); ++i) {
      phase.add(shares[i],
                time_of(p.cycles * shares[i].time, clocks.phases[i].sm_clock * corrected));
    }
    phases.push_back({at, at + phase.time, phase.busy(p.shares, p.time),
                      Hertz{p.cycles.value * phase.cycles / phase.time.value}});
    at = phases.back().end;
  }
  return phases;
}

/// Median time from a tile's first operands until its last store is issued.
Seconds median_tile(const std::vector<TileSpan>& tiles) {
  std::vector<double> seconds;
  for (const TileSpan& tile : tiles) {
    if (tile.role == TileRole::kMultiplies) {
      seconds.push_back(seconds_of(tile.stored - tile.first_operands).value);
    }
  }
  std::ranges::sort(seconds);
  return {quantile_of_sorted<double>(seconds, 0.5)};
}

/// Summarizes the simulation, including the waves that it skips. `outside`: bytes of SM fill that
/// the simulation does not count as operands. `clocks`: clocks of the simulation's activity.
Watched seen_of(const GpuSpec& gpu, const SimulatedGemm& run, const Prediction& p, Bytes outside,
                const PhasedClock& clocks) {
  const Simulated& kernel = run.kernel;
  return {.operand_reads = kernel.operand_reads,
          .sm_intake = kernel.sm_intake + outside,
          .l2_output = kernel.l2_output,
          .l2_far = kernel.l2_far,
          .time = time_split(run.tiles, gpu.sm.count, sim_time(kernel.time - kernel.left_out),
                             {sim_time(kernel.steady_from), sim_time(kernel.left_out_at),
                              sim_time(kernel.left_out)}),
          .median_tile = median_tile(run.tiles) * (p.time / kernel.time),
          .phases = phases_of(p, run.activity.phases, clocks)};
}

/// Scales the savings to the prediction's cycles.
std::vector<Elimination> scaled(std::vector<Elimination> all, double factor) {
  for (Elimination& e : all) {
    e.cycles = e.cycles * factor;
  }
  return all;
}

/// Returns, for each resource, the cycles that the analytic model saves if the resource costs
/// nothing. `cycles(gpu)` returns the kernel's cycles on a GPU.
template <class CyclesOn>
std::vector<Elimination> eliminate_closed(const GpuSpec& gpu, const Prediction& p,
                                          const CyclesOn& cycles) {
  const Cycles whole = cycles(gpu);  // cycles without corrections
  return scaled(eliminate_each(whole, 1, [&](Limiter part) { return cycles(without(gpu, part)); }),
                p.cycles / whole);
}

/// Finds what limits the clock, and divides the predicted energy among the units in proportion to
/// their work.
PhasedClock look_at_power(const GpuSpec& gpu, const KernelActivity& kernel, Regime regime,
                          Inputs inputs, Explanation& e) {
  const PhasedClock clocks = phase_clock(gpu, kernel.work, kernel.phases, regime, inputs);
  e.clock_limiter = clocks.kernel.limiter;
  const Prediction& p = e.predicted;
  e.energy = energy_split(gpu, kernel.work, p.sm_clock, inputs);
  const double factor = p.power.value * p.time.value / e.energy.total().value;
  for (Joules* part :
       {&e.energy.tensor, &e.energy.shared_memory, &e.energy.l2, &e.energy.dram, &e.energy.idle}) {
    *part = *part * factor;
  }
  return clocks;
}

Explanation explain_one(const GemmQuestion& asked, const KernelConfig& asked_of,
                        const Effort& effort) {
  const auto& [gpu, own_problem, regime, inputs] = asked;
  const Method method = effort.method.value_or(default_method(Op::kGemm));
  Explanation e{};
  SimulatedGemm run;
  e.closed_form = predict_one(asked, asked_of, Method::kAnalytic);
  e.predicted =
      method == Method::kAnalytic ? e.closed_form : predict_one(asked, asked_of, method, &run);
  const KernelConfig config = for_operands(own_problem.dtype, asked_of);
  const GemmProblem problem = as_run(own_problem, config);
  const GemmWork work = gemm_work(gpu, problem, config);
  const bool simulated = e.predicted.method == Method::kSimulated;
  KernelActivity activity = simulated ? run.activity : kernel_activity(gpu, problem, config, work);
  activity.work = activity.work_in(e.predicted.cycles);
  const PhasedClock clocks = look_at_power(gpu, activity, regime, inputs, e);
  const bool repeats = simulated && simulation_steps(gpu, problem, config) <= kMostRepeated;
  if (simulated) {
    // The ranking has simulated this kernel, but without an observer, so it is simulated again.
    // That takes at most a tenth of an explanation's time, most of which goes into the savings.
    // `outside` is counted as in Prediction::l2_to_sm.
    const Bytes outside = outside_intake(problem, config) + epilogue_reads(problem, config.tiling);
    e.watched = seen_of(gpu, run, e.predicted, outside, clocks);
  }
  if (repeats) {
    e.without = scaled(eliminate(gpu, problem, config, residency_of(gpu, config), run.sm_clock,
                                 Waves::kSteadyLeftOut, run.requests, effort.threads),
                       e.predicted.cycles / run.requests.cycles);
  } else {
    e.without = eliminate_closed(gpu, e.predicted, [&](const GpuSpec& g) {
      return closed_form(g, problem, config, work, e.predicted.sm_clock).cycles;
    });
  }
  e.waves = waves_of(gpu, problem, config, work);
  e.groups = group_parts(asked, asked_of, repeats ? Method::kSimulated : Method::kAnalytic);
  e.ctas_per_sm = work.ctas_per_sm;
  if (const auto learned = learned_part(gpu, e.predicted.method)) {
    e.learned = learned->contributions(
        run.features ? *run.features : closed_features(asked, gemm_form(asked, config, work)));
  }
  return e;
}

i32 resident_ctas(const GpuSpec& gpu, const StreamProblem& problem, const StreamConfig& config) {
  return resident_stream_ctas(gpu, config, problem.dtype);
}
std::vector<std::string> notes(const StreamQuestion&, const StreamConfig&, const Prediction&) {
  return {};
}
std::vector<LearnedContribution> learned_contributions(const StreamQuestion&, const StreamConfig&) {
  return {};
}

/// Explains a kernel of an op that only the analytic model predicts.
template <class Problem, class Config>
Explanation explain_one(const OpQuestion<Problem>& asked, const Config& config,
                        const Effort& effort) {
  const auto& [gpu, problem, regime, inputs] = asked;
  Explanation e{};
  e.predicted = e.closed_form =
      predict_one(asked, config, effort.method.value_or(Method::kAnalytic));
  e.ctas_per_sm = resident_ctas(gpu, problem, config);
  const auto form = [&](const GpuSpec& g) {
    return form_at(g, problem, config, e.predicted.sm_clock);
  };
  e.without = eliminate_closed(gpu, e.predicted, [&](const GpuSpec& g) { return form(g).cycles; });
  look_at_power(gpu, kernel_activity(form(gpu)), regime, inputs, e);
  e.notes = notes(asked, config, e.predicted);
  if (e.predicted.method == Method::kAnalytic) {
    e.learned = learned_contributions(asked, config);
  }
  return e;
}

/// Cycles of the kernel without the copies before it.
Cycles own_cycles(const Prediction& p) { return p.cycles - cycles_of(p.copies, p.sm_clock); }

/// Cost of a resource: the cycles that the kernel saves without it.
Cycles cost_of(const Explanation& e, Limiter part) {
  const auto found = std::ranges::find(e.without, part, &Elimination::part);
  return found == e.without.end() ? Cycles{} : e.predicted.cycles - found->cycles;
}

}  // namespace

void add_bounds(Explanation& e) {
  constexpr double kNothing = 1e-6;
  LearnedContribution bounds{"bounds", std::log(e.predicted.cycles_correction),
                             std::log(e.predicted.clock_correction)};
  for (const LearnedContribution& one : e.learned) {
    bounds.cycles -= one.cycles;
    bounds.clock -= one.clock;
  }
  if (!e.learned.empty() && std::hypot(bounds.cycles, bounds.clock) > kNothing) {
    e.learned.push_back(bounds);
    std::ranges::stable_sort(e.learned, std::greater<>{},
                             [](const auto& one) { return std::abs(one.cycles); });
  }
}

Explanation explain(const GpuSpec& gpu, const AnyProblem& problem, const AnyConfig& config,
                    Regime regime, Inputs inputs, const Effort& effort) {
  require_same_op(problem, config);
  require_method(op_of(problem), effort.method);
  Explanation e =
      visit_op(problem, config, [&]<class Problem>(const Problem& own, const auto& kernel) {
        return explain_one(OpQuestion<Problem>{gpu, own, regime, inputs}, kernel, effort);
      });
  add_bounds(e);
  e.copies = operand_copies(gpu, problem, regime, inputs);
  const Cycles kernel_alone = e.predicted.cycles;
  add_copies(e.copies, e.predicted);
  add_copies(e.copies, e.closed_form);
  for (Elimination& without : e.without) {
    without.cycles += e.predicted.cycles - kernel_alone;
  }
  return e;
}

Explanation explain_best(const GpuSpec& gpu, const AnyProblem& problem, const ConfigPattern& config,
                         Regime regime, Inputs inputs, const Effort& effort) {
  return explain(gpu, problem,
                 config.whole() ? *config.whole()
                                : rank_matching(gpu, problem, config, regime, inputs, 1, effort)
                                      .predictions.front()
                                      .config,
                 regime, inputs, effort);
}

std::vector<TileSpan> timeline(const GpuSpec& gpu, const GemmProblem& asked,
                               const KernelConfig& asked_of, Hertz sm_clock) {
  const KernelConfig config = for_operands(asked.dtype, asked_of);
  const GemmProblem problem = as_run(asked, config);
  std::vector<TileSpan> tiles;
  simulate_gemm(gpu, problem, config, residency_of(gpu, config), sm_clock, {.tiles = &tiles});
  return tiles;
}

Difference difference(const Explanation& kernel, const Explanation& other) {
  const Prediction& a = kernel.predicted;
  const Prediction& b = other.predicted;
  Difference d{.time = a.time / b.time,
               .cycles = a.cycles / b.cycles,
               .sm_clock = a.sm_clock / b.sm_clock,
               .energy_per_cycle = kernel.energy.total() / own_cycles(a).value /
                                   (other.energy.total() / own_cycles(b).value),
               .phases = {},
               .parts = {}};
  if (kernel.watched && other.watched) {
    const auto more = [&](std::string_view name, double TimeSplit::*part) {
      d.phases.push_back({name, own_cycles(a) * (kernel.watched->time.*part) -
                                    own_cycles(b) * (other.watched->time.*part)});
    };
    more("start", &TimeSplit::start);
    more("multiply", &TimeSplit::multiply);
    more("between", &TimeSplit::between);
    more("end", &TimeSplit::end);
  }
  if (a.method == b.method) {
    for (const Limiter part : kEveryLimiter) {
      if (const Cycles more = cost_of(kernel, part) - cost_of(other, part); more.value != 0) {
        d.parts.push_back({to_text(part), more});
      }
    }
    std::ranges::stable_sort(d.parts, std::ranges::greater{}, &MoreCycles::cycles);
  }
  return d;
}

}  // namespace tilecast
