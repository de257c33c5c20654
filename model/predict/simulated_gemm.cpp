#include "model/predict/simulated_gemm.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/analytic/closed_form.h"
#include "model/analytic/occupancy.h"
#include "model/base/parallel.h"
#include "model/clock/clock.h"
#include "model/predict/settled_clock.h"
#include "model/sim/same_simulation.h"

namespace tilecast {
namespace {

// Cycles move with the closed form's over less than this change of the clock.
constexpr double kNearClock = 0.01;
constexpr int kMostSimulations = 3;

/// What is the same about a kernel at every clock.
class ClosedCycles {
 public:
  ClosedCycles(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config)
      : gpu_(gpu), problem_(problem), config_(config) {
    TrafficMemo traffic(*gpu.l2, problem);
    work_ = gemm_work(gpu, problem, config, traffic);
  }
  Cycles at(Hertz clock) const { return closed_form(gpu_, problem_, config_, work_, clock).cycles; }

 private:
  const GpuSpec& gpu_;
  const GemmProblem& problem_;
  const KernelConfig& config_;
  GemmWork work_;
};

struct SettledSimulation {
  Simulated kernel;
  Cycles cycles;  // at the clock
  ClockState clock;
};

SettledSimulation settle(const GpuSpec& gpu, const GemmProblem& problem, const KernelConfig& config,
                         Hertz start, Regime regime, Inputs inputs) {
  const ClosedCycles closed(gpu, problem, config);
  SettledSimulation settled{};
  Hertz f = start;
  for (int simulations = 1;; ++simulations) {
    const Simulated kernel = simulate_gemm(gpu, problem, config, residency_of(gpu, config), f, {},
                                           Waves::kSteadyLeftOut);
    const Cycles closed_here = closed.at(f);
    const auto [cycles, clock] = settled_clock(*gpu.clock, f, [&](Hertz g) {
      const Cycles moved = kernel.cycles * (closed.at(g) / closed_here);
      return Settled<Cycles>{moved,
                             sm_clock(gpu, chip_work(problem, kernel, moved), regime, inputs)};
    });
    settled = {kernel, cycles, clock};
    if (std::abs(clock.sm_clock / f - 1) < kNearClock || simulations == kMostSimulations) {
      return settled;
    }
    f = clock.sm_clock;
  }
}

Shares shares_of(const GpuSpec& gpu, const GemmProblem& problem, const SettledSimulation& s) {
  const double cycles = s.cycles.value * gpu.sm.count;
  return {gemm_flops(problem.shape) / gpu.wgmma->flops_per_sm.value / cycles,
          s.kernel.operand_reads.value / gpu.wgmma->operand_rate.value / cycles, s.kernel.l2_share,
          s.kernel.dram_share};
}

/// The same prediction if everything took `factor` times as long.
void stretch(Prediction& p, double factor) {
  p.cycles = p.cycles * factor;
  p.time = p.time * factor;
  p.interval_low = p.interval_low * factor;
  p.interval_high = p.interval_high * factor;
  p.tflops /= factor;
  for (double* share : {&p.shares.tensor, &p.shares.shared_memory, &p.shares.l2, &p.shares.dram}) {
    *share = std::min(1.0, *share / factor);
  }
}

/// A simulation, and the candidates that it is of.
struct Shared {
  KernelConfig key;
  std::vector<std::size_t> candidates;
};

/// The best candidates that differ to the simulator, with those behind them that do not.
std::vector<Shared> choose(const GpuSpec& gpu, const GemmShape& shape,
                           const std::vector<Prediction>& candidates, std::size_t most) {
  std::vector<Shared> chosen;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const KernelConfig& config = std::get<KernelConfig>(candidates[i].config);
    if (!can_simulate(gpu, config)) {
      continue;
    }
    const KernelConfig key = as_simulated(shape, config, resident_ctas(gpu, config));
    const auto same =
        std::ranges::find_if(chosen, [&](const Shared& other) { return other.key == key; });
    if (same != chosen.end()) {
      same->candidates.push_back(i);
    } else if (chosen.size() < most) {
      chosen.push_back({key, {i}});
    }
  }
  return chosen;
}

}  // namespace

Residency residency_of(const GpuSpec& gpu, const KernelConfig& config) {
  return {resident_ctas(gpu, config), resident_workers(gpu, config)};
}

ChipWork chip_work(const GemmProblem& problem, const Simulated& kernel, Cycles cycles) {
  return {Flops{gemm_flops(problem.shape)}, kernel.operand_reads + kernel.sm_intake,
          kernel.l2_to_sm, kernel.dram_read + kernel.dram_write, cycles};
}

Prediction simulated_prediction(const GpuSpec& gpu, const GemmProblem& problem,
                                const Prediction& analytic, Regime regime, Inputs inputs) {
  const SettledSimulation s = settle(gpu, problem, std::get<KernelConfig>(analytic.config),
                                     analytic.sm_clock, regime, inputs);
  Prediction p = analytic;
  p.method = Method::kSimulated;
  p.cycles = s.cycles;
  p.sm_clock = s.clock.sm_clock;
  p.power = s.clock.power;
  p.time = time_of(s.cycles, s.clock.sm_clock);
  p.interval_low = p.time * (1 - gpu.default_interval);
  p.interval_high = p.time * (1 + gpu.default_interval);
  p.tflops = gemm_flops(problem.shape) / p.time.value * 1e-12;
  p.shares = shares_of(gpu, problem, s);
  p.l2_to_sm = s.kernel.l2_to_sm;
  p.dram_read = s.kernel.dram_read;
  p.dram_write = s.kernel.dram_write;
  p.l2_hit_rate = 1 - p.dram_read / p.l2_to_sm;
  return p;
}

void simulate_best(const GpuSpec& gpu, const Effort& effort, Ranking& ranking) {
  const GemmProblem& problem = std::get<GemmProblem>(ranking.problem);
  std::vector<Prediction>& all = ranking.predictions;
  const std::vector<Shared> chosen = choose(gpu, problem.shape, all, effort.simulations);
  if (chosen.empty()) {
    return;
  }
  std::vector<Prediction> simulated(chosen.size());
  parallel_for(chosen.size(), effort.threads, [&](std::size_t i) {
    simulated[i] = simulated_prediction(gpu, problem, all[chosen[i].candidates.front()],
                                        ranking.regime, ranking.inputs);
  });
  double log_scale = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    log_scale += std::log(simulated[i].time / all[chosen[i].candidates.front()].time);
  }
  ranking.closed_form_scale = std::exp(log_scale / static_cast<double>(chosen.size()));
  ranking.simulated = static_cast<int>(chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    for (const std::size_t candidate : chosen[i].candidates) {
      const AnyConfig config = all[candidate].config;
      all[candidate] = simulated[i];
      all[candidate].config = config;
    }
  }
  for (Prediction& p : all) {
    if (p.method == Method::kAnalytic) {
      stretch(p, ranking.closed_form_scale);
    }
  }
  std::ranges::stable_sort(all, {}, &Prediction::time);
}

}  // namespace tilecast
