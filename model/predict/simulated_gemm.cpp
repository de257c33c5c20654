#include "model/predict/simulated_gemm.h"

#include <algorithm>
#include <vector>

#include "model/analytic/closed_form.h"
#include "model/analytic/occupancy.h"
#include "model/base/math.h"
#include "model/predict/learned.h"
#include "model/predict/outside_bytes.h"
#include "model/predict/settled_form.h"
#include "model/predict/settled_simulation.h"
#include "model/predict/simulated_ranking.h"
#include "model/sim/same_simulation.h"
#include "model/tile/tile_scheduler.h"

namespace tilecast {
namespace {

/// What is the same about a kernel at every clock.
class ClosedKernel {
 public:
  ClosedKernel(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config)
      : gpu_(gpu), problem_(problem), config_(config) {
    TrafficMemo traffic(*gpu.l2, problem);
    work_ = gemm_work(gpu, problem, config, traffic);
  }
  ClosedForm at(Hertz clock) const { return closed_form(gpu_, problem_, config_, work_, clock); }
  const GemmWork& work() const { return work_; }

 private:
  const GpuSpec& gpu_;
  const GemmProblem& problem_;
  const KernelConfig& config_;
  GemmWork work_;
};

SettledSimulation settle(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                         const ClosedKernel& closed, Hertz start, Regime regime, Inputs inputs) {
  return settled_simulation(
      gpu, start, regime, inputs, [&](Hertz f) { return simulate_phases(gpu, problem, config, f); },
      [&](Hertz f) { return closed.at(f).cycles; },
      [&](const Simulated& kernel, Cycles cycles) {
        return chip_work(problem, config, kernel, cycles);
      });
}

double operand_share(const GpuSpec& gpu, const SettledSimulation& s) {
  const double per_sm = s.kernel.operand_reads.value / gpu.sm.count;
  return std::min(1.0, per_sm / operand_rate(gpu).value / s.cycles.value);
}

/// About what a simulation takes: K blocks loaded and multiplied in the waves that it goes through.
double about_steps(const GpuSpec& gpu, const GemmShape& shape, const KernelConfig& config) {
  // Few where workers keep in step, more where each has one tile and they drift.
  const double most_waves = config.grid == Grid::kTiles ? 24 : 7;
  const u32 workers = static_cast<u32>(resident_workers(gpu, config));
  const double waves =
      static_cast<double>(make_tile_scheduler(shape, config, workers).num_tiles()) / workers;
  const double k_blocks = static_cast<double>(ceil_div<i64>(shape.k, config.tiling.block_k));
  return std::min(waves, most_waves) * workers * cluster_size(config.tiling) * k_blocks *
         (1 + warpgroups_per_tile(config.tiling));
}

/// The best candidates that differ to the simulator, with those behind them that do not.
std::vector<SharedSimulation> choose(const GpuSpec& gpu, const GemmShape& shape,
                                     const std::vector<Prediction>& candidates, std::size_t most) {
  std::vector<SharedSimulation> chosen;
  std::vector<KernelConfig> keys;  // of those
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const KernelConfig& config = std::get<KernelConfig>(candidates[i].config);
    if (!can_simulate(gpu, config)) {
      continue;
    }
    const KernelConfig key = as_simulated(shape, config, resident_ctas(gpu, config));
    const auto same = std::ranges::find(keys, key);
    if (same != keys.end()) {
      chosen[static_cast<std::size_t>(same - keys.begin())].candidates.push_back(i);
    } else if (chosen.size() < most) {
      chosen.push_back({{i}, about_steps(gpu, shape, config)});
      keys.push_back(key);
    }
  }
  return chosen;
}

}  // namespace

Residency residency_of(const GpuSpec& gpu, const KernelConfig& config) {
  return {resident_ctas(gpu, config), resident_workers(gpu, config)};
}

WatchedSimulation simulate_phases(const GpuSpec& gpu, const GemmProblem& problem,
                                  const KernelConfig& config, Hertz sm_clock) {
  Activity activity;
  const Simulated kernel = simulate_gemm(gpu, problem, config, residency_of(gpu, config), sm_clock,
                                         {.activity = &activity}, Waves::kSteadyLeftOut);
  return {kernel, kernel_phases(kernel, activity)};
}

Prediction simulated_prediction(const GpuSpec& gpu, const GemmProblem& problem,
                                const Prediction& analytic, Regime regime, Inputs inputs) {
  const KernelConfig& config = std::get<KernelConfig>(analytic.config);
  const ClosedKernel closed(gpu, problem, config);
  // A calibration's correction and the simulation both know better than the closed form, not by as
  // much: the simulation's clock lies between the two, and mostly one simulation does.
  const Hertz own =
      settled_form(gpu, problem, config, closed.work(), regime, inputs).clock.sm_clock;
  const Hertz corrected = analytic.sm_clock / analytic.clock_correction;
  const Hertz start = (own + corrected) / 2;
  const SettledSimulation s = settle(gpu, problem, config, closed, start, regime, inputs);
  Prediction p = with_simulation(gpu, analytic, s);
  p.shares.shared_memory = operand_share(gpu, s);
  p.l2_to_sm = s.kernel.l2_to_sm + outside_bytes(problem, config);
  p.l2_hit_rate = 1 - p.dram_read / p.l2_to_sm;
  if (const std::optional<LearnedPart> learned = learned_part(gpu, Method::kSimulated)) {
    const double over = s.cycles / closed.at(s.clock.sm_clock).cycles;
    const auto [form, clock] =
        settled_form(gpu, problem, config, closed.work(), regime, Inputs::kNormal);
    const Physics physics{
        .cycles = [&](Hertz f) { return closed.at(f).cycles * over; },
        .work = [&](Cycles in) { return chip_work(problem, config, s.kernel, in); },
        .phases = s.phases};
    apply_learned(gpu,
                  learned->of(kernel_features(gpu, problem, config, closed.work(), form,
                                              clock.sm_clock, form.cycles * over, regime)),
                  regime, inputs, physics, p);
  }
  return p;
}

void simulate_best(const GpuSpec& gpu, const Effort& effort, Ranking& ranking) {
  const GemmProblem& problem = std::get<GemmProblem>(ranking.problem);
  rank_simulated(
      choose(gpu, problem.shape, ranking.predictions, effort.simulations), effort.threads,
      [&](const Prediction& analytic) {
        return simulated_prediction(gpu, problem, analytic, ranking.regime, ranking.inputs);
      },
      ranking);
}

}  // namespace tilecast
