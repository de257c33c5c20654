#include "model/predict/simulated_gemm.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "model/analytic/closed_form.h"
#include "model/analytic/occupancy.h"
#include "model/predict/corrected.h"
#include "model/predict/outside_bytes.h"
#include "model/predict/settled_form.h"
#include "model/predict/settled_simulation.h"
#include "model/predict/simulated_ranking.h"
#include "model/sim/same_simulation.h"
#include "model/sim/steady_k.h"

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
                         const ClosedKernel& closed, Hertz start, Regime regime, Inputs inputs,
                         GemmWatch* watch) {
  return settled_simulation(
      gpu, start, regime, inputs,
      [&](Hertz f) {
        if (watch == nullptr) {
          return simulate_phases(gpu, problem, config, f);
        }
        watch->sm_clock = f;
        watch->tiles.clear();
        return simulate_phases(gpu, problem, config, f,
                               {.tiles = &watch->tiles, .requests = &watch->requests});
      },
      [&](Hertz f) { return closed.at(f).cycles; },
      [&](const Simulated& kernel, Cycles cycles) {
        return chip_work(problem, config, kernel, cycles);
      });
}

/// Of so many bytes of all SMs, at each one's rate.
double share_of_sms(const GpuSpec& gpu, Bytes bytes, BytesPerCycle rate, Cycles cycles) {
  return std::min(1.0, bytes.value / gpu.sm.count / rate.value / cycles.value);
}

/// Of a simulated kernel: the closed form's while that part is busy most of the time; where it is
/// not and another one nearly all the time, that one.
Limiter limiter_of(const Prediction& p) {
  constexpr double kMost = 0.65, kNearlyAll = 0.8;
  const std::pair<double, Limiter> busy[] = {{p.shares.tensor, Limiter::kTensor},
                                             {p.shares.shared_memory, Limiter::kSharedMemory},
                                             {p.shares.sm_intake, Limiter::kSmIntake},
                                             {p.shares.l2, Limiter::kL2},
                                             {p.shares.dram, Limiter::kDram}};
  const bool confirmed = std::ranges::any_of(
      busy, [&](const auto& part) { return part.second == p.limiter && part.first >= kMost; });
  const auto [share, busiest] = *std::ranges::max_element(busy);
  return !confirmed && share >= kNearlyAll ? busiest : p.limiter;
}

/// The best candidates that differ to the simulator, with those behind them that do not.
std::vector<SharedSimulation> choose(const GpuSpec& gpu, const GemmProblem& problem,
                                     const std::vector<Prediction>& candidates, std::size_t most) {
  std::vector<SharedSimulation> chosen;
  std::vector<KernelConfig> keys;  // of those
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const KernelConfig& config = std::get<KernelConfig>(candidates[i].config);
    if (!simulates(gpu, problem, config)) {
      continue;
    }
    const KernelConfig key = as_simulated(problem.shape, config, resident_ctas(gpu, config));
    const auto same = std::ranges::find(keys, key);
    if (same != keys.end()) {
      chosen[static_cast<std::size_t>(same - keys.begin())].candidates.push_back(i);
    } else if (chosen.size() < most) {
      const u32 workers = static_cast<u32>(resident_workers(gpu, config));
      chosen.push_back({{i}, simulation_size(gpu, problem, config, workers).steps});
      keys.push_back(key);
    }
  }
  return chosen;
}

}  // namespace

Residency residency_of(const GpuSpec& gpu, const KernelConfig& config) {
  return {resident_ctas(gpu, config), resident_workers(gpu, config)};
}

bool simulates(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config) {
  return can_simulate(gpu, config) &&
         is_small_enough(gpu, problem, config, residency_of(gpu, config));
}

WatchedSimulation simulate_phases(const GpuSpec& gpu, const GemmProblem& problem,
                                  const KernelConfig& config, Hertz sm_clock, Observers also) {
  Activity activity;
  also.activity = &activity;
  const Simulated kernel = simulate_gemm(gpu, problem, config, residency_of(gpu, config), sm_clock,
                                         also, Waves::kSteadyLeftOut);
  return {kernel, kernel_phases(kernel, activity)};
}

Prediction simulated_prediction(const GpuSpec& gpu, const GemmProblem& problem,
                                const Prediction& analytic, Regime regime, Inputs inputs,
                                GemmWatch* watch) {
  const KernelConfig& config = std::get<KernelConfig>(analytic.config);
  const ClosedKernel closed(gpu, problem, config);
  // A calibration's correction and the simulation both know better than the closed form, not by as
  // much: the simulation's clock lies between the two, and mostly one simulation does.
  const Hertz own =
      settled_form(gpu, problem, config, closed.work(), regime, inputs).clock.sm_clock;
  const Hertz corrected = analytic.sm_clock / analytic.clock_correction;
  const Hertz start = (own + corrected) / 2;
  const SettledSimulation s = settle(gpu, problem, config, closed, start, regime, inputs, watch);
  if (watch != nullptr) {
    watch->settled = s;
  }
  Prediction p = with_simulation(gpu, analytic, s);
  p.shares.shared_memory = share_of_sms(gpu, s.kernel.operand_reads, operand_rate(gpu), s.cycles);
  p.shares.sm_intake = share_of_sms(gpu, s.kernel.sm_intake, gpu.machine->intake, s.cycles);
  p.l2_to_sm = s.kernel.l2_to_sm + outside_bytes(problem, config);
  p.l2_hit_rate = 1 - p.dram_read / p.l2_to_sm;
  p.simulated_part = s.kernel.simulated_part;
  if (gpu.correction != nullptr) {
    const Cycles closed_here = closed.at(s.clock.sm_clock).cycles;
    const auto cycles = [&](Hertz f) { return s.cycles * (closed.at(f).cycles / closed_here); };
    const Physics physics{
        .cycles = cycles,
        .work = [&](Cycles in) { return chip_work(problem, config, s.kernel, in); },
        .phases = s.phases,
        .features =
            [&](Hertz f) {
              return correction_features(problem, config, closed.work(), closed.at(f), f, cycles(f),
                                         regime);
            }};
    apply_correction(gpu, ReadyCorrection(gpu.correction->simulated), config.schedule, regime,
                     inputs, physics, p);
  }
  p.limiter = limiter_of(p);
  return p;
}

void simulate_best(const GpuSpec& gpu, const Effort& effort, Ranking& ranking) {
  const GemmProblem& problem = std::get<GemmProblem>(ranking.problem);
  rank_simulated(
      choose(gpu, problem, ranking.predictions, effort.simulations), effort.threads,
      [&](const Prediction& analytic) {
        return simulated_prediction(gpu, problem, analytic, ranking.regime, ranking.inputs);
      },
      ranking);
}

}  // namespace tilecast
