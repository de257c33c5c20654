#include "model/gemm/predict/simulated_gemm.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "model/gemm/costs/fused_epilogue.h"
#include "model/gemm/costs/occupancy.h"
#include "model/gemm/form/closed_form.h"
#include "model/gemm/form/gemm_bounds.h"
#include "model/gemm/predict/kernel_features.h"
#include "model/gemm/predict/like_questions.h"
#include "model/gemm/predict/outside_bytes.h"
#include "model/gemm/problem/swapped_operands.h"
#include "model/gemm/sim/same_simulation.h"
#include "model/gemm/sim/steady_k.h"
#include "model/rank/bottleneck.h"
#include "model/rank/retime.h"
#include "model/rank/settled_clock.h"
#include "model/rank/simulated_ranking.h"

namespace tilecast {
namespace {

// Default number of simulations per schedule: at most this many, within a total of this many steps;
// the best of a second tile may exceed it.
constexpr std::size_t kMostOfSchedule = 8;
constexpr double kFewSteps = 350e3;
// The simulation of one kernel is a good estimate for others with the same tile but other K blocks,
// stages, clusters and order. So each further kernel of a tile is ranked as if its analytic time
// were longer by this fraction.
constexpr double kSameTilePenalty = 0.006;
constexpr std::size_t kMostConsidered = 64;  // maximum per schedule

/// Utilization of a per-SM resource that moved `bytes`.
double share_of_sms(const GpuSpec& gpu, Bytes bytes, BytesPerCycle rate, Cycles cycles) {
  return bytes.value / gpu.sm.count / rate.value / cycles.value;
}

const KernelConfig& config_of(const Prediction& p) { return std::get<KernelConfig>(p.config); }

/// Returns a configuration that is the same for all candidates that share a simulation.
KernelConfig as_simulated(const GemmQuestion& q, const KernelConfig& config) {
  return as_simulated(as_run(q.problem, config), config, resident_ctas(q.gpu, config));
}

/// Returns the candidates to simulate, each followed by those that share its simulation: the best
/// for each schedule and order of operands, separately with and without CTA pairs. By default one
/// each; with several tiles more, as long as the number of steps allows.
std::vector<SharedSimulation> nominees(const GemmQuestion& q,
                                       const std::vector<Prediction>& candidates,
                                       const Effort& effort) {
  const std::optional<std::size_t> most = effort.simulations;
  struct Kernel {
    KernelConfig key;
    Seconds promised;
    std::vector<std::size_t> candidates;
  };
  struct Own {
    std::vector<Kernel> kernels;
    std::map<std::pair<i32, i32>, int> of_tile;
  };
  std::map<std::tuple<Schedule, OperandOrder, i32>, Own> by_schedule;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const KernelConfig& config = config_of(candidates[i]);
    if (!simulates(q.gpu, as_run(q.problem, config), config)) {
      continue;
    }
    const KernelConfig key = as_simulated(q, config);
    const i32 pair = uses_tcgen05(config.schedule) ? cta_group(config.tiling) : 1;
    auto& [kernels, of_tile] = by_schedule[{config.schedule, config.operands, pair}];
    const auto same = std::ranges::find(kernels, key, &Kernel::key);
    if (same != kernels.end()) {
      same->candidates.push_back(i);
    } else if (kernels.size() < most.value_or(kMostConsidered)) {
      const int twins = of_tile[{config.tiling.block_m, config.tiling.block_n}]++;
      kernels.push_back({key, candidates[i].time * (most ? 1 : 1 + kSameTilePenalty * twins), {i}});
    }
  }
  std::vector<SharedSimulation> chosen;
  for (auto& [kind, own] : by_schedule) {
    std::ranges::stable_sort(own.kernels, {}, &Kernel::promised);
    double length = 0;
    std::size_t of_kind = 0;
    std::set<std::pair<i32, i32>> tiles;
    const std::size_t count = std::min(own.kernels.size(), most.value_or(kMostOfSchedule));
    for (std::size_t i = 0; i < count; ++i) {
      Kernel& kernel = own.kernels[i];
      const KernelConfig& config = config_of(candidates[kernel.candidates.front()]);
      const double steps = simulation_steps(q.gpu, as_run(q.problem, config), config);
      const bool second_tile =
          tiles.insert({config.tiling.block_m, config.tiling.block_n}).second && tiles.size() <= 2;
      if (!most && !second_tile && of_kind >= effort.least_simulations &&
          length + steps > kFewSteps) {
        continue;  // a later one may be shorter
      }
      length += steps;
      ++of_kind;
      chosen.push_back({std::move(kernel.candidates), steps});
    }
  }
  return chosen;
}

/// An epilogue may change the order of requests in a simulation. Clamps the time: at least the time
/// without the epilogue, at most that time with all of the epilogue's instructions exposed on the
/// SM with the most tiles (the dispatcher may give it twice an even share).
void hold_to_plain(const GemmQuestion& q, const GemmForm& fused, const LearnedParts& learned,
                   KnownSimulations* known, Prediction& p) {
  GemmProblem plain = q.problem;
  plain.epilogue = in_main_loop(q.problem.epilogue);
  const GemmQuestion without{q.gpu, plain, q.regime, q.inputs};
  const KernelConfig& config = fused.config;
  const GemmForm form = gemm_form(without, config, gemm_work(q.gpu, as_run(plain, config), config));
  const Prediction closed = by_closed_form(without, {&form, 1}, learned.analytic).front();
  const Seconds least = by_simulation(without, form, closed, learned, nullptr, known).time;
  const Tiling& t = config.tiling;
  const auto ends = static_cast<double>(2 * (fused.work.tiles_per_sm + fused.work.ctas_per_sm));
  // wait for the residual
  const double waits = q.problem.epilogue.has(OutputKind::kLoad) ? ends * c_chunks(t) : 0;
  const Cycles shown =
      fused_time(*q.gpu.machine, q.problem.epilogue, 1.0 * t.block_m * t.block_n) * ends +
      q.gpu.machine->l2_latency * waits;
  const Seconds residual = transfer_time(Bytes{residual_bytes(q.problem)}, dram_read_rate(q.gpu));
  stretch(std::clamp(p.time, least, least + time_of(shown, p.sm_clock) + residual) / p.time, p);
}

/// Returns the result of `simulate(Hertz)` and its cycles at the settled clock; `closed(Hertz)`
/// returns the analytic cycles.
template <class Simulate, class Closed>
std::pair<SimulatedGemm, Settled<Cycles>> settled_simulation(const GemmQuestion& q,
                                                             const Simulate& simulate,
                                                             const Closed& closed, Hertz f,
                                                             int most_simulations) {
  // If the clock changes by at most kNearClock, simulated cycles are scaled like the analytic ones,
  // by at most kNearCycles.
  constexpr double kNearClock = 0.02, kNearCycles = 0.005;
  for (int simulations = 1;; ++simulations) {
    SimulatedGemm run = simulate(f);
    const Cycles cycles = run.kernel.cycles, closed_here = closed(f);
    const Settled<Cycles> settled =
        settled_cycles(q.gpu, run.activity, f, q.regime, q.inputs,
                       [&](Hertz g) { return cycles * (closed(g) / closed_here); });
    const bool near = std::abs(settled.clock.sm_clock / f - 1) < kNearClock &&
                      std::abs(settled.form / cycles - 1) < kNearCycles;
    if (near || simulations == most_simulations) {
      return {std::move(run), settled};
    }
    f = settled.clock.sm_clock;
  }
}

/// Features of a simulated kernel. `over_closed`: ratio of simulated to analytic cycles, by which
/// this simulation also represents similar problems.
KernelFeatures simulated_features(const GemmQuestion& q, const GemmForm& physics,
                                  const KernelActivity& activity, double over_closed,
                                  const Shares& busy) {
  const GemmForm normal = form_on_normal_data(q, physics);
  const SimulatedWork simulated{normal.form.cycles * over_closed, activity.work.l2,
                                activity.work.dram, busy};
  return kernel_features(q.gpu, as_run(q.problem, physics.config), physics.config, physics.work,
                         normal.form, normal.clock.sm_clock, simulated, q.regime);
}

/// Applies the learned correction to the simulated prediction `p`.
Prediction as_learned(const GemmQuestion& q, const GemmForm& physics,
                      const KernelActivity& activity, double over_closed,
                      const LearnedPart& learned, Prediction p) {
  const GemmProblem problem = as_run(q.problem, physics.config);
  const auto kernel_at = [&](Hertz f) {
    const ClosedForm at = closed_form(q.gpu, problem, physics.config, physics.work, f);
    return UncorrectedCycles{at.cycles * over_closed, at.least};
  };
  apply_learned(q.gpu, learned.of(simulated_features(q, physics, activity, over_closed, p.shares)),
                q.regime, q.inputs, activity, kernel_at, p);
  return p;
}

}  // namespace

Residency residency_of(const GpuSpec& gpu, const KernelConfig& config) {
  return {resident_ctas(gpu, config), resident_workers(gpu, config)};
}

Shares busy_shares(const GpuSpec& gpu, const Simulated& kernel, Cycles cycles, double tensor) {
  return {.tensor = tensor,
          .shared_memory = share_of_sms(gpu, kernel.operand_reads, operand_rate(gpu), cycles),
          .sm_intake = share_of_sms(gpu, kernel.sm_intake, gpu.machine->intake, cycles),
          .l2 = kernel.l2_share,
          .dram = kernel.dram_share};
}

bool simulates(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config) {
  return can_simulate(gpu, config) &&
         is_small_enough(gpu, problem, config, residency_of(gpu, config));
}

double simulation_steps(const GpuSpec& gpu, const GemmProblem& problem,
                        const KernelConfig& config) {
  return simulation_size(gpu, problem, config, static_cast<u32>(resident_workers(gpu, config)))
      .steps;
}

double most_steps(const Effort& effort) {
  constexpr double kMostSteps = 1.4e6;  // about 50 ms on two cores
  return effort.simulations ? std::numeric_limits<double>::infinity()
                            : kMostSteps * static_cast<double>(effort.least_simulations);
}

SimulatedGemm simulate_phases(const GpuSpec& gpu, const GemmProblem& problem,
                              const KernelConfig& config, Hertz sm_clock, bool watched) {
  SimulatedGemm run{.kernel = {}, .activity = {}, .sm_clock = sm_clock};
  Activity seen;
  run.kernel = simulate_gemm(gpu, problem, config, residency_of(gpu, config), sm_clock,
                             {.activity = &seen,
                              .tiles = watched ? &run.tiles : nullptr,
                              .requests = watched ? &run.requests : nullptr},
                             Waves::kSteadyLeftOut);
  run.activity = kernel_activity(problem, config, run.kernel, seen);
  return run;
}

SimulatedGemm KnownSimulations::simulate(const GpuSpec& gpu, const GemmProblem& problem,
                                         const KernelConfig& config, Hertz sm_clock) {
  const KernelConfig key = as_simulated(problem, config, resident_ctas(gpu, config));
  const auto is_same = [&](const Known& known) {
    return known.epilogue == problem.epilogue && known.config == key && known.sm_clock == sm_clock;
  };
  {
    const std::lock_guard lock(reading_);
    if (const auto same = std::ranges::find_if(known_, is_same); same != known_.end()) {
      return same->simulation;
    }
  }
  SimulatedGemm run = simulate_phases(gpu, problem, config, sm_clock);
  const std::lock_guard lock(reading_);
  known_.push_back({problem.epilogue, key, sm_clock, run});
  return run;
}

Prediction by_simulation(const GemmQuestion& q, const GemmForm& physics, const Prediction& analytic,
                         const LearnedParts& learned, SimulatedGemm* watch,
                         KnownSimulations* known) {
  const KernelConfig& config = physics.config;
  const GemmProblem problem = as_run(q.problem, config);
  const auto closed = [&](Hertz f) {
    return closed_form(q.gpu, problem, config, physics.work, f).cycles;
  };
  // The learned correction was trained on simulations at the analytic clock for normal data, scaled
  // to other clocks like the analytic model (validate/calibrate/seen_rows.h). So this kernel is
  // simulated once, at that clock: simulations at two clocks differ by chance.
  const Hertz clock = form_on_normal_data(q, physics).clock.sm_clock;
  const auto simulate = [&](Hertz f) {
    return known != nullptr ? known->simulate(q.gpu, problem, config, f)
                            : simulate_phases(q.gpu, problem, config, f, watch != nullptr);
  };
  auto [run, settled] = settled_simulation(q, simulate, closed, clock, learned.simulated ? 1 : 3);
  const Simulated& kernel = run.kernel;
  Prediction p = analytic;
  p.method = Method::kSimulated;
  p.bounds = hard_bounds(q.gpu, problem, config);
  set_dram_bytes(q.gpu, kernel.dram_read, analytic.dram_write, p);
  p.shares = {.tensor = analytic.shares.tensor};  // the others come from the simulation
  p.clamped.clear();
  retime(settled.form, settled.clock, p);
  set_default_interval(q.gpu, p);
  p.l2_to_sm = kernel.l2_to_sm + outside_bytes(problem, config);
  p.l2_output = kernel.l2_output;
  p.l2_hit_rate = hit_rate(p.dram_read, p.l2_to_sm);
  p.shares = busy_shares(q.gpu, kernel, p.cycles, p.shares.tensor);
  hold_shares(p);
  p.simulated_part = kernel.simulated_part;
  if (learned.simulated) {
    const double over_closed = settled.form / closed(settled.clock.sm_clock);
    const auto by_learned = [&](const GemmQuestion& like, const GemmForm& form) {
      return as_learned(like, form, run.activity, over_closed, *learned.simulated, p);
    };
    const auto predict = [&](const GemmQuestion& like) {
      const GemmWork work = gemm_work(q.gpu, as_run(like.problem, config), config);
      return by_learned(like, gemm_form(like, config, work));
    };
    Prediction own = by_learned(q, physics);
    if (watch != nullptr) {
      run.features = simulated_features(q, physics, run.activity, over_closed, p.shares);
    }
    correct(bounded_by_like(q, config, own, predict), own);
    p = own;
  }
  // A gated kernel writes half as much as a plain kernel and may be faster.
  if (q.problem.epilogue != in_main_loop(q.problem.epilogue) && !gates(q.problem.epilogue)) {
    hold_to_plain(q, physics, learned, known, p);
  }
  p.limiter = bottleneck(p.shares, limiter_of(p.shares, p.limiter));
  if (watch != nullptr) {
    *watch = std::move(run);
  }
  return p;
}

double simulate_best(const GemmQuestion& q, const LearnedParts& learned, const Effort& effort,
                     std::size_t keep, KnownSimulations& known, Ranking& ranking) {
  const std::vector<Prediction>& candidates = ranking.predictions;
  const auto nominate = [&](std::size_t first) -> std::optional<SharedSimulation> {
    const KernelConfig& config = config_of(candidates[first]);
    if (!simulates(q.gpu, as_run(q.problem, config), config)) {
      return std::nullopt;
    }
    SharedSimulation late{{}, simulation_steps(q.gpu, as_run(q.problem, config), config)};
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (as_simulated(q, config_of(candidates[i])) == as_simulated(q, config)) {
        late.candidates.push_back(i);
      }
    }
    return late;
  };
  const auto simulate = [&](std::size_t i) {
    const KernelConfig& config = config_of(candidates[i]);
    const GemmForm physics =
        gemm_form(q, config, gemm_work(q.gpu, as_run(q.problem, config), config));
    return by_simulation(q, physics, candidates[i], learned, nullptr, &known);
  };
  return rank_simulated(nominees(q, candidates, effort), effort.threads, nominate, simulate,
                        ranking, keep, most_steps(effort));
}

}  // namespace tilecast
