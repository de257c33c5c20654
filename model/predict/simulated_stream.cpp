#include "model/predict/simulated_stream.h"

#include <map>
#include <vector>

#include "model/analytic/stream_closed_form.h"
#include "model/analytic/stream_occupancy.h"
#include "model/predict/settled_simulation.h"
#include "model/predict/simulated_ranking.h"
#include "model/sim/simulate_stream.h"

namespace tilecast {
namespace {

constexpr std::size_t kMostStreamSimulations = 4;  // of a schedule, where nobody says how many

}  // namespace

ChipWork stream_work(const Simulated& kernel, Bytes shared_memory, Cycles cycles) {
  const Bytes dram = kernel.dram_read + kernel.dram_write;
  return {Flops{0}, shared_memory, dram, dram, cycles};
}

Prediction simulated_prediction(const GpuSpec& gpu, const StreamProblem& problem,
                                const Prediction& analytic, Regime regime, Inputs inputs) {
  const StreamConfig& config = std::get<StreamConfig>(analytic.config);
  const i32 ctas = resident_stream_ctas(gpu, config, problem.dtype);
  const Bytes shared_memory =
      stream_closed_form(gpu, problem, config, analytic.sm_clock).shared_memory;
  const SettledSimulation s = settled_simulation(
      gpu, analytic.sm_clock, regime, inputs,
      [&](Hertz f) {
        return WatchedSimulation{simulate_stream(gpu, problem, config, ctas, f), {}};
      },
      [&](Hertz f) { return stream_closed_form(gpu, problem, config, f).cycles; },
      [&](const Simulated& kernel, Cycles cycles) {
        return stream_work(kernel, shared_memory, cycles);
      });
  return with_simulation(gpu, analytic, s);
}

void simulate_best_streams(const GpuSpec& gpu, const Effort& effort, Ranking& ranking) {
  const StreamProblem& problem = std::get<StreamProblem>(ranking.problem);
  const std::vector<Prediction> candidates = ranking.predictions;
  std::vector<SharedSimulation> nominees;
  std::map<AnySchedule, std::size_t> of_schedule;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const StreamConfig& config = std::get<StreamConfig>(candidates[i].config);
    if (can_simulate(gpu, config) &&
        of_schedule[config.schedule]++ < effort.simulations.value_or(kMostStreamSimulations)) {
      nominees.push_back({{i}});
    }
  }
  rank_simulated(
      nominees, effort.threads,
      [&](std::size_t i) {
        return simulated_prediction(gpu, problem, candidates[i], ranking.regime, ranking.inputs);
      },
      ranking);
}

}  // namespace tilecast
